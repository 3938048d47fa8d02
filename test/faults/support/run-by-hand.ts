/**
 * The common part of fault runs that are begun by hand: arguments, a seed that is printed and can be given, servers of their own, results
 * kept below .hookline/faults (and for docs/faults.md and docs/evidence.md with `--record NAME`), and the exit code: 1 on any violation, 2 for a wrong call.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { type ProcessMode, processModes } from '../../support/housing.ts';
import { testedCommit } from '../../support/tested-commit.ts';
import type { FaultReport, FaultRun } from './fault-run.ts';
import { problemsOfName, record, type RecordedRun, type SetUp } from './recorded.ts';

const say = (line: string): void => console.log(line);

/** @param args without the run's name */
export async function runByHand(faultRun: FaultRun, args: readonly string[]): Promise<never> {
  const asked = readArguments(faultRun, args);
  const violations =
    asked.judge === undefined ? await run(faultRun, asked) : judgeAgain(faultRun, asked.judge, asked.recordAs);
  process.exit(violations > 0 ? 1 : 0);
}

async function run(
  faultRun: FaultRun,
  { numbers, seed, names, onlyCase, recordAs, processes }: Asked,
): Promise<number> {
  const given = Object.entries({
    run: faultRun.name,
    ...numbers,
    seed,
    scenario: names.join(),
    ...(processes === 'one' && { processes }),
    ...(onlyCase !== undefined && { 'only-case': `"${onlyCase}"` }),
  })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--${name} ${value}`);
  const replay = `make faults ARGS='${given.join(' ')}'`;
  const startedAt = new Date();
  const startMs = performance.now();
  const commit = testedCommit();
  const dir = join(hooklineDir, 'faults', `${faultRun.name}-${startedAt.toISOString().replace(/[:.]/g, '-')}-${seed}`);
  mkdirSync(dir, { recursive: true });
  const setUp: SetUp = {
    node: process.version,
    cpus: `${cpus().length} × ${cpus()[0]?.model}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    processes:
      processes === 'one' ? `${faultRun.processes}; services of one number in one process` : faultRun.processes,
  };
  say([replay, ...Object.entries(setUp).map(([name, value]) => `${name}: ${value}`)].join('\n'));

  const servers = await faultRun.startServers(seed);
  const stopped = (): void => {
    // A paused server would not hear that it is to end.
    for (const server of [servers.postgres, ...servers.brokers]) server.resume();
    process.exit(130);
  };
  process.once('SIGINT', stopped).once('SIGTERM', stopped);
  try {
    const report = await faultRun.run({
      numbers,
      isWanted: ({ name }) => names.includes(name),
      onlyCase,
      servers,
      settings: {
        servers: servers.addresses,
        databaseUrl: servers.addresses.databaseUrl,
        topicPrefix: 'faults.',
        processes,
        seed,
        dir,
        say,
      },
    });
    const minutes = Number(((performance.now() - startMs) / 60_000).toFixed(1));
    const about = {
      run: faultRun.name,
      numbers,
      seed,
      startedAt: startedAt.toISOString(),
      commit,
      replay,
      setUp,
      minutes,
    };
    return conclude(about, report, dir, recordAs);
  } catch (error) {
    say(`again: ${replay}`);
    throw error;
  } finally {
    await servers.close();
    say(`logs and run.json: ${dir}`);
  }
}

/** Judges the kept evidence of an earlier run by today's rules. */
function judgeAgain(faultRun: FaultRun, dir: string, recordAs: string | undefined): number {
  if (faultRun.judge === undefined) throw new Error(`${faultRun.name} keeps nothing that could be judged`);
  const kept = JSON.parse(readFileSync(runFile(dir), 'utf8')) as KeptRun;
  const { run, numbers, seed, startedAt, commit, replay, setUp, minutes } = kept;
  const about = { run, numbers, seed, startedAt, commit, replay, setUp, minutes };
  return conclude(about, faultRun.judge(dir), dir, recordAs);
}

/** Facts about a run, independent of its outcome. */
type AboutRun = Omit<RecordedRun, 'results' | 'faults' | 'tables'>;
type KeptRun = AboutRun & Pick<FaultReport, 'results' | 'faults'>;

const runFile = (dir: string): string => join(dir, 'run.json');

/** Prints and stores the outcome. @returns the number of violations */
function conclude(about: AboutRun, report: FaultReport, dir: string, recordAs: string | undefined): number {
  const { results, faults, tables } = report;
  const violations = results.flatMap(({ scenario, violations }) => violations.map((each) => `${scenario}:\n${each}`));
  const end = violations.length > 0 ? [...violations, `again: ${about.replay}`] : ['no violation'];
  say(['', ...tables, `${about.minutes} min`, ...end].join('\n\n'));
  const kept: KeptRun = { ...about, results, faults };
  writeFileSync(runFile(dir), `${JSON.stringify(kept, null, 2)}\n`);
  if (recordAs !== undefined) {
    const recorded: RecordedRun = { ...about, results, faults: faults.length, tables };
    say(`recorded: ${record(recordAs, recorded)}\nnow: npm run docs:write`);
  }
  return violations.length;
}

interface Asked {
  numbers: Record<string, number>;
  seed: number;
  names: readonly string[];
  onlyCase: string | undefined;
  recordAs: string | undefined;
  processes: ProcessMode;
  /** The directory of a run. */
  judge: string | undefined;
}

function readArguments(
  { name, numbers: defaults, scenarios, hasCases, problemsOf, judge }: FaultRun,
  args: readonly string[],
): Asked {
  const known = scenarios.map((scenario) => scenario.name);
  const options = { ...defaults, seed: Date.now() % 1_000_000 };
  const usage = [
    `--run ${name}`,
    ...Object.keys(options).map((option) => `--${option} N`),
    ...(known.length > 0 ? [`--scenario ${known.join()}`] : []),
    ...(hasCases ? ['[--only-case NAME]'] : []),
    `[--processes ${processModes.join('|')}]`,
    '[--record NAME]',
    ...(judge === undefined ? [] : ['| --judge DIR [--record NAME]']),
  ].join(' ');
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        record: { type: 'string' },
        processes: { type: 'string', default: 'separate' },
        ...(hasCases && { 'only-case': { type: 'string' } as const }),
        ...(judge !== undefined && { judge: { type: 'string' } as const }),
        ...(known.length > 0 && { scenario: { type: 'string', default: known.join() } as const }),
        ...Object.fromEntries(
          Object.entries(options).map(([option, value]) => [
            option,
            { type: 'string', default: String(value) } as const,
          ]),
        ),
      },
    });
    const {
      scenario = '',
      record: recordAs,
      'only-case': onlyCase,
      judge: dir,
      processes: mode,
      ...texts
    } = values as Partial<Record<string, string>>;
    const names = scenario === '' ? [] : scenario.split(',');
    const { seed = Number.NaN, ...numbers } = Object.fromEntries(
      Object.entries(texts).map(([option, text]) => [option, Number(text)]),
    );
    const processes = processModes.find((known) => known === mode);
    const problems = [
      ...(processes === undefined ? [`--processes ${mode}: ${processModes.join(' or ')}`] : []),
      ...(recordAs === undefined ? [] : problemsOfName(recordAs)),
      ...(dir === undefined || existsSync(runFile(dir)) ? [] : [`--judge ${dir}: no run was kept there`]),
      ...names.filter((each) => !known.includes(each)).map((each) => `there is no scenario ${each}`),
      ...(Number.isNaN(seed) ? ['the seed must be a number'] : []),
      ...Object.entries(numbers).flatMap(([option, value]) => (value > 0 ? [] : [`--${option} must be above 0`])),
    ];
    if (problems.length === 0) problems.push(...(problemsOf?.(numbers) ?? []));
    if (problems.length === 0 && processes !== undefined)
      return { numbers, seed, names, onlyCase, recordAs, processes, judge: dir };
    console.error(`usage: ${usage}\n${problems.join('\n')}`);
  } catch (error) {
    console.error(`usage: ${usage}\n${(error as Error).message}`);
  }
  return process.exit(2);
}
