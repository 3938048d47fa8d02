/** The counts of a run. Every number was counted by the run itself; a run without a number does not check it. */
import { markdownTable } from '../../support/markdown-table.ts';
import { thousands } from '../../support/thousands.ts';
import { allTogether } from '../support/fault-run.ts';
import type { RecordedRun } from '../support/recorded.ts';
import { pollsMissed } from '../system/result.ts';
import { lastOfEachKind, type NamedRun, systemResultOf, violationsOf } from './recordings.ts';

const counts: readonly [heading: string, countOf: (run: RecordedRun) => string | undefined][] = [
  ['webhooks taken', (run) => sumOf(run, 'accepted')],
  ['lost', (run) => sumOf(run, 'lost')],
  ['second event ids', (run) => sumOf(run, 'secondEventIds', 'secondIds')],
  ['second effects', (run) => sumOf(run, 'secondEffects')],
  ['polls missed', missedOf],
  ['faults survived', survivedOf],
  ['restarts', (run) => systemResultOf(run)?.restarts.toString()],
  ['violations', (run) => boldUnlessNone(violationsOf(run).length)],
  ['minutes', ({ minutes }) => minutes.toFixed(1)],
];

/** The runs, one row each; those with a section lead to it, the others to their records. */
export function glance(runs: readonly NamedRun[]): string {
  const shown = lastOfEachKind(runs);
  return markdownTable(
    ['run', ...counts.map(([heading]) => heading)],
    runs.map((named) => [
      `[${named.name}](${shown.includes(named) ? `#${named.name}` : recordOf(named)})`,
      ...counts.map(([, countOf]) => countOf(named.run) ?? '–'),
    ]),
  );
}

export const recordOf = ({ name }: NamedRun): string => `../test/faults/recorded/${name}.json`;

/** The same in a sentence. */
export const countsOf = (run: RecordedRun): string =>
  counts
    .flatMap(([heading, countOf]) => {
      const count = countOf(run);
      return count === undefined ? [] : [`${count} ${heading}`];
    })
    .join(', ');

const boldUnlessNone = (count: number): string => (count === 0 ? '0' : `**${thousands(count)}**`);

/** Over its scenarios, each counted once. */
function sumOf({ results }: RecordedRun, ...names: string[]): string | undefined {
  const whole = results.filter(({ scenario }) => scenario === allTogether);
  const found = (whole.length > 0 ? whole : results).flatMap((result) =>
    Object.entries(result).flatMap(([name, value]: [string, unknown]) =>
      names.includes(name) && typeof value === 'number' ? [value] : [],
    ),
  );
  if (found.length === 0) return undefined;
  const sum = found.reduce((total, count) => total + count, 0);
  return names.includes('accepted') ? thousands(sum) : boldUnlessNone(sum);
}

function missedOf(run: RecordedRun): string | undefined {
  const result = systemResultOf(run);
  return result && `${boldUnlessNone(pollsMissed(result))} of ${thousands(result.changes)}`;
}

/** If there were violations, it is unknown which faults were survived. */
function survivedOf(run: RecordedRun): string | undefined {
  const faults = systemResultOf(run)?.faults ?? run.faults;
  if (faults === 0) return undefined;
  return `${violationsOf(run).length === 0 ? thousands(faults) : '**?**'} of ${thousands(faults)}`;
}
