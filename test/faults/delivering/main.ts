/**
 * The delivering fault runs, by hand: `make faults-delivering ARGS='--deliveries 100000 --seed 7 --scenario kills,order'`. Exits with 1 on
 * any violation; what happened stays below .hookline/faults.
 */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { startFaultyServers } from '../support/servers.ts';
import { formatKills, formatLatencies, formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

const say = (line: string): void => console.log(line);

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scenario: { type: 'string', default: scenarios.map(({ name }) => name).join() },
    turns: { type: 'string', default: '3' },
  },
});
const names = values.scenario.split(',');
const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
const [deliveries, seed, turns] = [values.deliveries, values.seed, values.turns].map(Number);
if (unknown.length > 0 || !deliveries || seed === undefined || Number.isNaN(seed) || !turns) {
  console.error(
    `usage: --deliveries N --seed N --turns N --scenario ${scenarios.map(({ name }) => name).join()}\n${
      unknown.length > 0 ? `there is no scenario ${unknown.join()}` : ''
    }`,
  );
  process.exit(2);
}
const replay = `make faults-delivering ARGS='--deliveries ${deliveries} --seed ${seed} --turns ${turns} --scenario ${names.join()}'`;

const startedAt = new Date();
const startMs = performance.now();
const dir = join(hooklineDir, 'faults', `delivering-${startedAt.toISOString().replace(/[:.]/g, '-')}-${seed}`);
const setUp = {
  node: process.version,
  cpus: `${cpus().length} × ${cpus()[0]?.model}`,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  processes:
    'ingress, dedup, two dispatchers, projector, api; Kafka (one broker, 6 partitions), Redis, Postgres, registry',
};
say(
  `${replay}\n${Object.entries(setUp)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}`,
);

const servers = await startFaultyServers();
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(130));
let failed: boolean;
try {
  const { results, faults } = await runScenarios({
    servers: servers.addresses,
    databaseUrl: servers.addresses.databaseUrl,
    topicPrefix: 'faults.',
    scenarios: scenarios.filter(({ name }) => names.includes(name)),
    deliveries,
    seed,
    turns,
    dir,
    say,
  });
  const violations = results.flatMap(({ scenario, violations }) => violations.map((each) => `${scenario}:\n${each}`));
  failed = violations.length > 0;
  const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
  say(
    [
      `\n${formatTable(results)}`,
      formatKills(faults),
      results.flatMap(formatLatencies).join('\n'),
      `${minutes} min; ${failed ? violations.join('\n\n') : 'no violation'}`,
      ...(failed ? [`again: ${replay}`] : []),
    ].join('\n\n'),
  );
  const report = { startedAt, replay, setUp, minutes, results, faults };
  writeFileSync(join(dir, 'run.json'), `${JSON.stringify(report, null, 2)}\n`);
} catch (error) {
  say(`again: ${replay}`);
  throw error;
} finally {
  await servers.close();
  say(`logs and run.json: ${dir}`);
}
process.exit(failed ? 1 : 0);
