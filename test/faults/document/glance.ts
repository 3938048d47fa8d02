/** The runs, one row each. Every number was counted by the run itself; a run without a number does not check it. */
import { markdownTable } from '../../support/markdown-table.ts';
import { thousands } from '../../support/thousands.ts';
import { allTogether } from '../support/fault-run.ts';
import type { RecordedRun } from '../support/recorded.ts';
import { pollsMissed } from '../system/result.ts';
import { type NamedRun, systemResultOf, violationsOf } from './recordings.ts';

const columns: readonly [heading: string, cellOf: (named: NamedRun) => string][] = [
  ['recorded as', ({ name, run }) => `[${name}](#${name}): ${run.run}`],
  ['length', ({ run }) => lengthOf(run)],
  ['webhooks taken', ({ run }) => sumOf(run, 'accepted')],
  ['lost', ({ run }) => sumOf(run, 'lost')],
  ['second event ids', ({ run }) => sumOf(run, 'secondEventIds', 'secondIds')],
  ['second effects', ({ run }) => sumOf(run, 'secondEffects')],
  ['polls missed', ({ run }) => missedOf(run)],
  ['faults survived', ({ run }) => survivedOf(run)],
  ['violations', ({ run }) => boldUnlessNone(violationsOf(run).length)],
  ['minutes', ({ run }) => run.minutes.toFixed(1)],
  ['seed', ({ run }) => String(run.seed)],
  ['on', ({ run }) => run.startedAt.slice(0, 10)],
];

export const glance = (runs: readonly NamedRun[]): string =>
  markdownTable(
    columns.map(([heading]) => heading),
    runs.map((named) => columns.map(([, cellOf]) => cellOf(named))),
  );

const notJudged = '–';
const boldUnlessNone = (count: number): string => (count === 0 ? '0' : `**${thousands(count)}**`);

/** As it was asked for. */
export const lengthOf = ({ numbers }: RecordedRun): string =>
  Object.entries(numbers)
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join(', ');

/** Over its scenarios, each counted once. */
function sumOf({ results }: RecordedRun, ...names: string[]): string {
  const whole = results.filter(({ scenario }) => scenario === allTogether);
  const counts = (whole.length > 0 ? whole : results).flatMap((result) =>
    Object.entries(result).flatMap(([name, value]: [string, unknown]) =>
      names.includes(name) && typeof value === 'number' ? [value] : [],
    ),
  );
  if (counts.length === 0) return notJudged;
  const sum = counts.reduce((total, count) => total + count, 0);
  return names.includes('accepted') ? thousands(sum) : boldUnlessNone(sum);
}

function missedOf(run: RecordedRun): string {
  const result = systemResultOf(run);
  if (result === undefined) return notJudged;
  return `${boldUnlessNone(pollsMissed(result))} of ${thousands(result.changes)}`;
}

/** If there were violations, it is unknown which faults were survived. */
function survivedOf(run: RecordedRun): string {
  const faults = systemResultOf(run)?.faults ?? run.faults;
  if (faults === 0) return notJudged;
  return `${violationsOf(run).length === 0 ? thousands(faults) : '**?**'} of ${thousands(faults)}`;
}
