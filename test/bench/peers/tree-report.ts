import { alignColumns } from '../../../services/cli/output/text-table.ts';
import type { BenchReport } from '../support/bench.ts';
import { type Figure, judgedOf, shortNumber, spreadOf } from '../support/figure.ts';
import type { TreeComparison } from './compare-trees.ts';
import type { Facts } from './systems/system.ts';

/** As which the comparison of two checkouts is kept. */
export const treesName = 'trees';

/** @param facts about the checkout before the change, and the one with it */
export function treeReportOf(
  { figures, lost, othersCores }: TreeComparison,
  { facts, turns }: { facts: readonly Facts[]; turns: number },
): BenchReport {
  return {
    setUp: `the same events to two checkouts, both up, in ${turns} interleaved turns; processor time is that of all processes of a stack, its stores among them`,
    figures,
    notes: [
      ...facts.map(({ versions }, index) => `${index === 0 ? 'before' : 'after'}: ${versions.join(', ')}`),
      `Others, the other stack at rest among them, took ${othersCores.toFixed(2)} of a core at most while something was measured`,
      treeTable(figures),
    ],
    unaccounted: lost,
  };
}

/** Medians side by side, and the ratio of each turn: a change that is smaller than the spread of these is not known to be one. */
const treeTable = (figures: readonly Figure[]): string =>
  alignColumns([
    ['figure', 'unit', 'before', 'after', 'after / before', 'by turn'],
    ...figures.map((figure) => {
      const { name, unit, values, ceiling } = figure;
      const before = ceiling?.values ?? [];
      const ratios = values.map((value, turn) => value / (before[turn] ?? Number.NaN));
      return [
        ...[name, unit, shortNumber(spreadOf(before).median), shortNumber(spreadOf(values).median)],
        ...[
          shortNumber(judgedOf(figure).median),
          ratios.map((ratio) => (Number.isFinite(ratio) ? ratio.toFixed(2) : '–')).join(' '),
        ],
      ];
    }),
  ]);
