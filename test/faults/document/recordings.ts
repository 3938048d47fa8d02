import { type RecordedMutants, readRecordedMutants } from '../mutants/results.ts';
import { type RecordedRun, recordedRuns } from '../support/recorded.ts';
import type { SystemResult } from '../system/result.ts';

/** All that the page is written from. */
export interface Recordings {
  runs: readonly NamedRun[];
  mutants?: RecordedMutants | undefined;
}

export interface NamedRun {
  /** Under which it was recorded. */
  name: string;
  run: RecordedRun;
}

/** The runs over the whole system first, then by when they were made. */
export const readRecordings = (): Recordings => ({
  runs: recordedRuns().toSorted(
    (a, b) =>
      Number(systemResultOf(b.run) !== undefined) - Number(systemResultOf(a.run) !== undefined) ||
      a.run.startedAt.localeCompare(b.run.startedAt),
  ),
  mutants: readRecordedMutants(),
});

/** Without those of which a later one has done all that they did, on the same processes, and maybe more. */
export const lastOfEachKind = (runs: readonly NamedRun[]): NamedRun[] =>
  runs.filter(({ run }) => !runs.some(({ run: other }) => other.startedAt > run.startedAt && covers(other, run)));

const covers = (run: RecordedRun, other: RecordedRun): boolean =>
  run.run === other.run && run.setUp.processes === other.setUp.processes && partsOf(other).isSubsetOf(partsOf(run));

/** The scenarios of a run, or the tracks of faults of one over the whole system. */
const partsOf = (run: RecordedRun): Set<string> =>
  new Set(systemResultOf(run)?.kinds.map(({ track }) => track) ?? run.results.map(({ scenario }) => scenario));

/** @returns undefined of another run */
export const systemResultOf = ({ run, results }: RecordedRun): SystemResult | undefined =>
  run === 'system' ? (results as readonly unknown[] as readonly SystemResult[])[0] : undefined;

export const violationsOf = ({ results }: RecordedRun): string[] => results.flatMap(({ violations }) => violations);
