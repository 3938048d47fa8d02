import { testedCommit } from '../../support/tested-commit.ts';
import { mutantsName, record } from '../support/recorded.ts';
import type { Mutant } from './mutant.ts';
import { type RecordedMutants, readResults, type Result } from './results.ts';

/** Runs nothing. @returns the file */
export function recordMutants(mutants: readonly Mutant[]): string {
  const results = readResults(mutants);
  const content: RecordedMutants = {
    ...{ commit: testedCommit(), listed: mutants.length, untried: untriedOf(mutants, results), results },
  };
  return record(mutantsName, content);
}

export const untriedOf = (mutants: readonly Mutant[], results: readonly Result[]): string[] =>
  mutants.map(({ name }) => name).filter((name) => !results.some(({ mutant }) => mutant === name));
