import { alignFigures } from '../../support/align-figures.ts';
import type { SeriesVerdict } from './judge.ts';
import type { SoakResult } from './soak.ts';

/** Formats a run for the console. */
export function formatResult({ series, account, violations, drainSeconds, senderLateMs }: SoakResult): string {
  const rows = series.map((each) => [`${each.what} of ${each.of}`, ...cellsOf(each), each.isFlat ? 'flat' : 'GROWS']);
  return [
    alignFigures([['', 'level', 'moved', 'allowed', 'in a day', ''], ...rows]),
    Object.entries(account)
      .flatMap(([name, count]) => (typeof count === 'number' ? [`${name} ${count}`] : []))
      .join(', '),
    `drained in ${drainSeconds.toFixed(1)} s; the sender was late by ${senderLateMs.toFixed()} ms at worst`,
    ...(violations.length === 0 ? ['no violation'] : violations.map((violation) => `VIOLATION ${violation}`)),
  ].join('\n');
}

/** Level, what it moved by, what was allowed, what it would move by in a day. */
export const cellsOf = ({ level, moved, limit, movedInADay }: SeriesVerdict): string[] => [
  shown(level),
  signed(moved),
  shown(limit),
  signed(movedInADay),
];

const shown = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });
const signed = (value: number): string => (value > 0 ? `+${shown(value)}` : shown(value));
