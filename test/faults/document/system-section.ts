import { markdownTable } from '../../support/markdown-table.ts';
import { imagesOf } from '../../support/plots/named-plot.ts';
import { thousands } from '../../support/thousands.ts';
import { pollerRows, rowsOf, type SystemResult, type ToldKind } from '../system/result.ts';
import { groupsOf } from './fault-groups.ts';
import { plotsOf } from './plots.ts';
import type { NamedRun } from './recordings.ts';

/** The section with the counts of a run over the whole system. */
export function systemSection(named: NamedRun, result: SystemResult): string {
  const [pollerHead = [], ...pollers] = pollerRows(result.pollers);
  return [
    markdownTable(['', ''], rowsOf(result)),
    markdownTable(pollerHead, pollers),
    imagesOf('faults', plotsOf(named)),
    `The faults; *recovered* is [from the end of a fault until all that was taken while it lasted had arrived](../test/faults/system/README.md#what-is-judged),
in seconds, whatever else was done meanwhile:`,
    markdownTable(
      ['fault', 'what is done', 'times', 'taken meanwhile', 'recovered: p50', 'p99', 'max'],
      groupsOf(result.kinds).flatMap(({ group, kinds }) => [
        [`**${group}**`, '', String(kinds.reduce((sum, { times }) => sum + times, 0)), '', '', '', ''],
        ...kinds.map(kindRow),
      ]),
    ),
  ].join('\n\n');
}

const kindRow = ({ kind, says, times, taken, recoveryMs: { p50, p99, max } }: ToldKind): string[] => [
  kind,
  says,
  String(times),
  thousands(taken),
  ...[p50, p99, max].map((ms) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : '**never**')),
];
