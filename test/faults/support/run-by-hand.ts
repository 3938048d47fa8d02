/**
 * What the fault runs that are begun by hand have in common: arguments, a seed that is printed and can be given, servers of their own, what
 * is kept below .hookline/faults, and the exit code: 1 on any violation, 2 for a wrong call.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { type OwnServers, startFaultyServers } from './servers.ts';

interface FaultRun<Number extends string, Servers = OwnServers> {
  /** As it is called: `make faults`. */
  command: string;
  /** Of the folder in which its logs are kept. */
  name: string;
  scenarios: readonly { name: string }[];
  /** What has to be above 0, by its option's name, with its default. */
  numbers: Readonly<Record<Number, number>>;
  processes: string;
  run(begun: BegunRun<Number, Servers>): Promise<FaultReport>;
}

export interface BegunRun<Number extends string, Servers = OwnServers> {
  numbers: Readonly<Record<Number, number>>;
  seed: number;
  isWanted(scenario: { name: string }): boolean;
  servers: Servers;
  dir: string;
  say(line: string): void;
}

interface FaultReport {
  results: readonly { scenario: string; violations: readonly string[] }[];
  faults: unknown;
  /** For people, part by part. */
  tables: readonly string[];
}

const say = (line: string): void => console.log(line);

export const runByHand = <Number extends string>(options: FaultRun<Number>): Promise<never> =>
  runByHandOn(() => startFaultyServers(), options);

/** @param startServers is given the seed */
export async function runByHandOn<Number extends string, Servers extends OwnServers>(
  startServers: (seed: number) => Promise<Servers>,
  options: FaultRun<Number, Servers>,
): Promise<never> {
  const { numbers, seed, names } = readArguments(options);
  const given = Object.entries({ ...numbers, seed, scenario: names.join() }).map(
    ([name, value]) => `--${name} ${String(value)}`,
  );
  const again = `${options.command} ARGS='${given.join(' ')}'`;
  const startedAt = new Date();
  const startMs = performance.now();
  const dir = join(hooklineDir, 'faults', `${options.name}-${startedAt.toISOString().replace(/[:.]/g, '-')}-${seed}`);
  mkdirSync(dir, { recursive: true });
  const setUp = {
    node: process.version,
    cpus: `${cpus().length} × ${cpus()[0]?.model}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    processes: options.processes,
  };
  say([again, ...Object.entries(setUp).map(([name, value]) => `${name}: ${value}`)].join('\n'));

  const servers = await startServers(seed);
  const stopped = (): void => {
    // What was told to hang would not hear that it is to end.
    for (const server of [servers.postgres, ...servers.brokers]) server.resume();
    process.exit(130);
  };
  process.once('SIGINT', stopped).once('SIGTERM', stopped);
  let failed: boolean;
  try {
    const isWanted = ({ name }: { name: string }): boolean => names.includes(name);
    const { results, faults, tables } = await options.run({ numbers, seed, isWanted, servers, dir, say });
    const violations = results.flatMap(({ scenario, violations }) => violations.map((each) => `${scenario}:\n${each}`));
    failed = violations.length > 0;
    const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
    const end = failed ? [...violations, `again: ${again}`] : ['no violation'];
    say(['', ...tables, `${minutes} min`, ...end].join('\n\n'));
    const report = { startedAt, replay: again, setUp, minutes, results, faults };
    writeFileSync(join(dir, 'run.json'), `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    say(`again: ${again}`);
    throw error;
  } finally {
    await servers.close();
    say(`logs and run.json: ${dir}`);
  }
  process.exit(failed ? 1 : 0);
}

function readArguments<Number extends string>({
  numbers: defaults,
  scenarios,
}: Pick<FaultRun<Number>, 'numbers' | 'scenarios'>) {
  const known = scenarios.map(({ name }) => name);
  const options = { seed: Date.now() % 1_000_000, ...defaults };
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', default: known.join() },
      ...Object.fromEntries(
        Object.entries(options).map(([name, value]) => [name, { type: 'string', default: String(value) } as const]),
      ),
    },
  });
  const { scenario = '', ...given } = values as Record<string, string>;
  const names = scenario.split(',');
  const { seed = Number.NaN, ...numbers } = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, Number(text)]),
  );
  const problems = [
    ...names.filter((name) => !known.includes(name)).map((name) => `there is no scenario ${name}`),
    ...(Number.isNaN(seed) ? ['the seed must be a number'] : []),
    ...Object.entries(numbers).flatMap(([name, value]) => (value > 0 ? [] : [`--${name} must be above 0`])),
  ];
  if (problems.length > 0) {
    const usage = Object.keys(numbers).map((name) => `--${name} N`);
    console.error(`usage: ${[...usage, '--seed N', `--scenario ${known.join()}`].join(' ')}\n${problems.join('\n')}`);
    process.exit(2);
  }
  return { numbers: numbers as Record<Number, number>, seed, names };
}
