import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { mutantsName, readRecorded } from '../support/recorded.ts';
import type { Mutant } from './mutant.ts';
import type { Trial } from './try-mutant.ts';

/** The last trial of a mutant, as it is kept. */
export interface Result extends Pick<Trial, 'verdict' | 'says' | 'seconds'> {
  mutant: string;
  /** The run with its scenario, or the file of the test. */
  check: string;
  budgetSeconds: number;
  triedAt: string;
}

/** The kept result of each mutant's last trial, and the mutants without one. */
export interface RecordedMutants {
  /** The one that they were recorded at; a mutant's last trial may be older. */
  commit: string;
  listed: number;
  untried: string[];
  results: Result[];
}

/** The last trial's. */
export const dayOfTrials = ({ results }: RecordedMutants): string =>
  (
    results
      .map(({ triedAt }) => triedAt)
      .sort()
      .at(-1) ?? ''
  ).slice(0, 10);

/** How a trial is printed. An unclear one tells nothing of the mutant, because its check did not come to an end or fails by itself. */
export const verdictNames: Readonly<Record<Trial['verdict'], string>> = {
  seen: 'seen',
  clean: 'MISSED',
  unclear: 'UNCLEAR',
};

const dir = join(hooklineDir, 'faults');
const file = join(dir, 'mutants.json');

export const nameOfCheck = ({ check }: Mutant): string =>
  'run' in check ? [`--run ${check.run}`, check.scenario].filter(Boolean).join(' ') : check.test;

/** Results in the order of the existing mutants. A recorded result counts if there was no trial here. */
export function readResults(mutants: readonly Mutant[]): Result[] {
  const here = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result[]) : [];
  const kept = new Map([...(readRecordedMutants()?.results ?? []), ...here].map((result) => [result.mutant, result]));
  return mutants.flatMap(({ name }) => kept.get(name) ?? []);
}

export const readRecordedMutants = (): RecordedMutants | undefined =>
  readRecorded(mutantsName) as RecordedMutants | undefined;

export function keepResult(mutants: readonly Mutant[], mutant: Mutant, trial: Trial): Result {
  const { verdict, says, seconds } = trial;
  const result: Result = {
    mutant: mutant.name,
    check: nameOfCheck(mutant),
    ...{ verdict, says, seconds },
    budgetSeconds: mutant.budgetSeconds,
    triedAt: new Date().toISOString(),
  };
  mkdirSync(dir, { recursive: true });
  const others = readResults(mutants).filter(({ mutant: name }) => name !== mutant.name);
  writeFileSync(file, `${JSON.stringify([...others, result], null, 2)}\n`);
  return result;
}

/** Keeps the output of a check that failed. @returns where */
export function keepOutput(name: string, output: string): string {
  const path = join(dir, `${name.replace(/[^a-z0-9]+/gi, '-')}.log`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, output);
  return path;
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map(({ mutant, check, verdict, says, seconds }) => [
    mutant,
    check,
    verdict === 'seen' ? says : `${verdictNames[verdict]}: ${says}`,
    String(seconds),
  ]);
  const killed = results.filter(({ verdict }) => verdict === 'seen').length;
  const lines = [['mutant', 'tried with', 'seen as', 'seconds'], ...rows].map((row) => row.join(' | '));
  return [...lines, '', `mutants killed ${killed} of ${results.length}`].join('\n');
}
