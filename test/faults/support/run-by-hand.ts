/**
 * What the fault runs that are begun by hand have in common: arguments, a seed that is printed and can be given, servers of their own, what
 * is kept below .hookline/faults (and for docs/faults.md with `--record NAME`), and the exit code: 1 on any violation, 2 for a wrong call.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import type { FaultRun } from './fault-run.ts';
import { problemsOfName, record, type RecordedRun, type SetUp } from './recorded.ts';

const say = (line: string): void => console.log(line);

/** @param args without the run's name */
export async function runByHand(faultRun: FaultRun, args: readonly string[]): Promise<never> {
  const { numbers, seed, names, recordAs } = readArguments(faultRun, args);
  const given = Object.entries({ run: faultRun.name, ...numbers, seed, scenario: names.join() })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--${name} ${value}`);
  const again = `make faults ARGS='${given.join(' ')}'`;
  const startedAt = new Date();
  const startMs = performance.now();
  const dir = join(hooklineDir, 'faults', `${faultRun.name}-${startedAt.toISOString().replace(/[:.]/g, '-')}-${seed}`);
  mkdirSync(dir, { recursive: true });
  const setUp: SetUp = {
    node: process.version,
    cpus: `${cpus().length} × ${cpus()[0]?.model}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    processes: faultRun.processes,
  };
  say([again, ...Object.entries(setUp).map(([name, value]) => `${name}: ${value}`)].join('\n'));

  const servers = await faultRun.startServers(seed);
  const stopped = (): void => {
    // What was told to hang would not hear that it is to end.
    for (const server of [servers.postgres, ...servers.brokers]) server.resume();
    process.exit(130);
  };
  process.once('SIGINT', stopped).once('SIGTERM', stopped);
  let failed: boolean;
  try {
    const { results, faults, tables } = await faultRun.run({
      numbers,
      isWanted: ({ name }) => names.includes(name),
      servers,
      settings: {
        servers: servers.addresses,
        databaseUrl: servers.addresses.databaseUrl,
        topicPrefix: 'faults.',
        ...{ seed, dir, say },
      },
    });
    const violations = results.flatMap(({ scenario, violations }) => violations.map((each) => `${scenario}:\n${each}`));
    failed = violations.length > 0;
    const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
    const end = failed ? [...violations, `again: ${again}`] : ['no violation'];
    say(['', ...tables, `${minutes} min`, ...end].join('\n\n'));
    const report = { startedAt: startedAt.toISOString(), replay: again, setUp, minutes: Number(minutes), results };
    writeFileSync(join(dir, 'run.json'), `${JSON.stringify({ ...report, faults }, null, 2)}\n`);
    if (recordAs !== undefined) {
      const recorded: RecordedRun = { run: faultRun.name, numbers, seed, ...report, faults: faults.length, tables };
      say(`recorded: ${record(recordAs, recorded)}\nnow: npm run docs:write`);
    }
  } catch (error) {
    say(`again: ${again}`);
    throw error;
  } finally {
    await servers.close();
    say(`logs and run.json: ${dir}`);
  }
  process.exit(failed ? 1 : 0);
}

function readArguments({ name, numbers: defaults, scenarios, problemsOf }: FaultRun, args: readonly string[]) {
  const known = scenarios.map((scenario) => scenario.name);
  const options = { ...defaults, seed: Date.now() % 1_000_000 };
  const usage = [
    `--run ${name}`,
    ...Object.keys(options).map((option) => `--${option} N`),
    ...(known.length > 0 ? [`--scenario ${known.join()}`] : []),
    '[--record NAME]',
  ].join(' ');
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        record: { type: 'string' },
        ...(known.length > 0 && { scenario: { type: 'string', default: known.join() } as const }),
        ...Object.fromEntries(
          Object.entries(options).map(([option, value]) => [
            option,
            { type: 'string', default: String(value) } as const,
          ]),
        ),
      },
    });
    const { scenario = '', record: recordAs, ...texts } = values as Partial<Record<string, string>>;
    const names = scenario === '' ? [] : scenario.split(',');
    const { seed = Number.NaN, ...numbers } = Object.fromEntries(
      Object.entries(texts).map(([option, text]) => [option, Number(text)]),
    );
    const problems = [
      ...(recordAs === undefined ? [] : problemsOfName(recordAs)),
      ...names.filter((each) => !known.includes(each)).map((each) => `there is no scenario ${each}`),
      ...(Number.isNaN(seed) ? ['the seed must be a number'] : []),
      ...Object.entries(numbers).flatMap(([option, value]) => (value > 0 ? [] : [`--${option} must be above 0`])),
    ];
    if (problems.length === 0) problems.push(...(problemsOf?.(numbers) ?? []));
    if (problems.length === 0) return { numbers, seed, names, recordAs };
    console.error(`usage: ${usage}\n${problems.join('\n')}`);
  } catch (error) {
    console.error(`usage: ${usage}\n${(error as Error).message}`);
  }
  return process.exit(2);
}
