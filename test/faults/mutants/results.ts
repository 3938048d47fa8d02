import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { mutantsName, readRecorded } from '../support/recorded.ts';
import { type Lane, type MutantCheck, nameOfCheck } from './mutant.ts';
import type { Trial } from './try-mutant.ts';

/** The last trial of a mutant with one of its checks, as it is kept. */
export interface Result extends Pick<Trial, 'verdict' | 'says' | 'seconds'> {
  mutant: string;
  lane: Lane;
  /** The run with its scenario, or the file of the test. */
  check: string;
  budgetSeconds: number;
  triedAt: string;
}

/** The last result of each check, and the checks without one. */
export interface RecordedMutants {
  /** The one that they were recorded at; a mutant's last trial may be older. */
  commit: string;
  listed: number;
  untried: Pick<Result, 'mutant' | 'lane'>[];
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

/** Results in the order of the existing checks. A recorded result counts if there was no trial here. */
export function readResults(checks: readonly MutantCheck[]): Result[] {
  const here = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result[]) : [];
  const kept = [...(readRecordedMutants()?.results ?? []), ...here];
  return checks.flatMap((check) => kept.findLast(isOf(check)) ?? []);
}

/** A result of another check, which the mutant had before, tells nothing of this one. */
export const isOf =
  ({ mutant, lane, check }: MutantCheck) =>
  (result: Result): boolean =>
    result.mutant === mutant.name && result.lane === lane && result.check === nameOfCheck(check);

export const readRecordedMutants = (): RecordedMutants | undefined =>
  readRecorded(mutantsName) as RecordedMutants | undefined;

export function keepResult(checks: readonly MutantCheck[], tried: MutantCheck, trial: Trial): void {
  const { mutant, lane, check } = tried;
  const { verdict, says, seconds } = trial;
  const result: Result = {
    mutant: mutant.name,
    lane,
    check: nameOfCheck(check),
    verdict,
    says,
    seconds,
    budgetSeconds: mutant.budgetSeconds,
    triedAt: new Date().toISOString(),
  };
  mkdirSync(dir, { recursive: true });
  const others = readResults(checks).filter((other) => !isOf(tried)(other));
  writeFileSync(file, `${JSON.stringify([...others, result], null, 2)}\n`);
}

/** Keeps the output of a check that failed. @returns where */
export function keepOutput(name: string, output: string): string {
  const path = join(dir, `${name.replace(/[^a-z0-9]+/gi, '-')}.log`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, output);
  return path;
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map(({ mutant, lane, check, verdict, says, seconds }) => [
    mutant,
    lane,
    check,
    verdict === 'seen' ? says : `${verdictNames[verdict]}: ${says}`,
    String(seconds),
  ]);
  const seen = results.filter(({ verdict }) => verdict === 'seen').length;
  const lines = [['mutant', 'lane', 'tried with', 'seen as', 'seconds'], ...rows].map((row) => row.join(' | '));
  return [...lines, '', `seen ${seen} of ${results.length}`].join('\n');
}
