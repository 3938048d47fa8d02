/**
 * The receiving fault runs, by hand: `make faults ARGS='--webhooks 100000 --seed 7 --scenario zombies,kafka-restarted'`. Exits with 1 on
 * any violation; what happened stays below .hookline/faults.
 */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { startFaultyServers } from '../support/servers.ts';
import { formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

const say = (line: string): void => console.log(line);

const { values } = parseArgs({
  options: {
    webhooks: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scenario: { type: 'string', default: scenarios.map(({ name }) => name).join() },
    turns: { type: 'string', default: '4' },
    'away-scale': { type: 'string', default: '1' },
  },
});
const names = values.scenario.split(',');
const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
const [webhooks, seed, turns, awayScale] = [values.webhooks, values.seed, values.turns, values['away-scale']].map(
  Number,
);
if (unknown.length > 0 || !webhooks || seed === undefined || Number.isNaN(seed) || !turns || !awayScale) {
  console.error(
    `usage: --webhooks N --seed N --turns N --away-scale X --scenario ${scenarios.map(({ name }) => name).join()}\n${
      unknown.length > 0 ? `there is no scenario ${unknown.join()}` : ''
    }`,
  );
  process.exit(2);
}
const replay = `make faults ARGS='--webhooks ${webhooks} --seed ${seed} --turns ${turns} --away-scale ${awayScale} --scenario ${names.join()}'`;

const startedAt = new Date();
const startMs = performance.now();
const dir = join(hooklineDir, 'faults', `${startedAt.toISOString().replace(/[:.]/g, '-')}-${seed}`);
const setUp = {
  node: process.version,
  cpus: `${cpus().length} × ${cpus()[0]?.model}`,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  processes: 'ingress, two dedups, projector, api; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
};
say(
  `${replay}\n${Object.entries(setUp)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}`,
);

const servers = await startFaultyServers();
const stopped = (): void => {
  // What was told to hang would not hear that it is to end.
  servers.postgres?.resume();
  servers.kafka?.resume();
  process.exit(130);
};
process.once('SIGINT', stopped).once('SIGTERM', stopped);
let failed: boolean;
try {
  const { results, faults } = await runScenarios({
    servers: servers.addresses,
    databaseUrl: servers.addresses.databaseUrl,
    topicPrefix: 'faults.',
    faulty: servers,
    scenarios: scenarios.filter(({ name }) => names.includes(name)),
    webhooks,
    seed,
    turns,
    awayScale,
    dir,
    say,
  });
  const violations = results.flatMap(({ scenario, violations }) => violations.map((each) => `${scenario}:\n${each}`));
  failed = violations.length > 0;
  const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
  say(
    `\n${formatTable(results)}\n\n${minutes} min; ${[...violations, failed ? `again: ${replay}` : 'no violation'].join('\n\n')}`,
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
