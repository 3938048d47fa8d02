import { testedCommit } from '../../support/tested-commit.ts';
import { mutantsName, record } from '../support/recorded.ts';
import { checksOf, type Mutant, type MutantCheck } from './mutant.ts';
import { isOf, type RecordedMutants, readResults, type Result } from './results.ts';

/** Runs nothing. @returns the file */
export function recordMutants(mutants: readonly Mutant[]): string {
  const checks = checksOf(mutants);
  const results = readResults(checks);
  const untried = untriedOf(checks, results).map(({ mutant, lane }) => ({ mutant: mutant.name, lane }));
  const content: RecordedMutants = { commit: testedCommit(), listed: mutants.length, untried, results };
  return record(mutantsName, content);
}

export const untriedOf = (checks: readonly MutantCheck[], results: readonly Result[]): MutantCheck[] =>
  checks.filter((check) => !results.some(isOf(check)));
