import { alignColumns } from '../../../services/cli/output/text-table.ts';
import type { BenchReport } from '../support/bench.ts';
import { aimTable } from './aim-table.ts';
import type { Wanted } from './arguments.ts';
import type { Comparison } from './compare-systems.ts';
import type { SystemName } from './systems/system.ts';

/** As which the comparison is kept and recorded. */
export const peersName = 'peers';

/** In the form of the other benches: Hookline's figures beside the best peer's, then everything of everybody in one table. */
export function reportOf(
  { sheet, facts, notMeasured, lost, late, othersCores }: Comparison,
  { systems, turns }: Pick<Wanted, 'systems' | 'turns'>,
): BenchReport {
  const figures = sheet.figures();
  const aimed = aimTable(figures);
  const promises = facts.flatMap(({ promises: each }) => systems.flatMap((name) => promiseLine(name, each[name])));
  const lostBy = (isOurs: boolean): string[] =>
    lost
      .filter(({ system }) => system.startsWith('hookline') === isOurs)
      .map(({ system, step, count }) => `${system}, ${step}: ${count} acknowledged, and lost`);
  return {
    setUp:
      `the same GitHub payloads of 2.0 to 2.4 kB to each system by itself, one after the other, ${turns === 1 ? 'once' : `in ${turns} turns`} (isolation, kills, memory and rest once, rest of Hookline alone); sender, receiver, ` +
      'system and stores on the same machine; processor time is that of all processes of a system, its stores among them',
    figures,
    compared: sheet.compared(),
    notes: [
      ...notMeasured,
      ...facts.map(({ versions, settings }) => `${versions.join(', ')}: ${settings}`),
      ...promises,
      ...lostBy(false),
      ...late.map(({ system, step, count }) => `${system}, ${step}: ${count} arrived after their run was over`),
      `Others took ${othersCores.toFixed(2)} of a core at most while something was measured`,
      alignColumns(sheet.table()),
      ...(aimed === undefined ? [] : [alignColumns([aimed.head, ...aimed.rows])]),
    ],
    unaccounted: lostBy(true),
  };
}

const promiseLine = (name: SystemName, promise: string | undefined): string[] =>
  promise === undefined ? [] : [`Before ${name} answers 2xx: ${promise}`];
