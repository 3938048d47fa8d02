import { mutantsName, readRecorded, record } from '../support/recorded.ts';
import type { Mutant } from './mutant.ts';
import { readResults, type Result } from './results.ts';

/** What was kept of the last trial of each, and of which nothing was. */
export interface RecordedMutants {
  listed: number;
  untried: string[];
  results: Result[];
}

/** Runs nothing. @returns the file */
export function recordMutants(mutants: readonly Mutant[]): string {
  const results = readResults(mutants);
  return record(mutantsName, { listed: mutants.length, untried: untriedOf(mutants, results), results });
}

export const readRecordedMutants = (): RecordedMutants | undefined =>
  readRecorded(mutantsName) as RecordedMutants | undefined;

export const untriedOf = (mutants: readonly Mutant[], results: readonly Result[]): string[] =>
  mutants.map(({ name }) => name).filter((name) => !results.some(({ mutant }) => mutant === name));
