import { markdownTable } from '../../support/markdown-table.ts';
import { imagesOf } from '../../support/plots/named-plot.ts';
import { percentile } from '../../support/percentiles.ts';
import { thousands } from '../../support/thousands.ts';
import { rowsOf, type SystemResult, type ToldKind } from '../system/result.ts';
import { groupsOf } from './fault-groups.ts';
import { plotsOf } from './plots.ts';
import type { NamedRun } from './recordings.ts';

/** At the top of the page, or about the run itself. */
const told = ['lost', 'second event ids', 'second effects', 'polls missed', 'faults survived', 'late', 'took'];

/** The section with the counts of a run over the whole system. */
export const systemSection = (named: NamedRun, result: SystemResult): string =>
  [
    markdownTable(
      ['', ''],
      rowsOf(result).filter(([what]) => !told.includes(what)),
    ),
    markdownTable(
      ['faults', 'kinds with how often', 'in all', 'taken meanwhile', 'recovered within s: half', 'all'],
      groupsOf(result.kinds).map(({ group, kinds }) => groupRow(group, kinds)),
    ),
    imagesOf('faults', plotsOf(named)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

function groupRow(group: string, kinds: readonly ToldKind[]): string[] {
  const recoveries = kinds.flatMap(({ recoveriesMs }) => recoveriesMs);
  const sum = (of: (kind: ToldKind) => number): string => thousands(kinds.reduce((total, kind) => total + of(kind), 0));
  const within = (share: number): string => {
    const ms = percentile(recoveries, share);
    return Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : '**never**';
  };
  return [
    group,
    kinds.map(({ kind, times }) => `${kind} ${times}`).join(', '),
    sum(({ times }) => times),
    sum(({ taken }) => taken),
    within(0.5),
    within(1),
  ];
}
