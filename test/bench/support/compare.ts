import { judgedOf, shortNumber } from './figure.ts';
import type { KeptReport } from './kept-reports.ts';

/** Figure by figure, what it was and what it is; ranges that overlap say that nothing is known to have changed. */
export function compareReports(before: KeptReport, now: KeptReport): string {
  const old = new Map(before.figures.map((figure) => [figure.name, figure]));
  const lines = now.figures.map((figure) => {
    const was = old.get(figure.name);
    if (was === undefined) return `${figure.name}: not measured then`;
    if ((was.ceiling === undefined) !== (figure.ceiling === undefined))
      return `${figure.name}: measured in another way then`;
    const [a, b] = [judgedOf(was), judgedOf(figure)];
    const unit = figure.ceiling === undefined ? figure.unit : `of ${figure.ceiling.name}`;
    const isApart = b.least > a.most || b.most < a.least;
    return `${figure.name}: ${shortNumber(a.median)}, now ${shortNumber(b.median)} ${unit}, ${shortNumber(b.median / a.median)} times${isApart ? '' : '; their ranges overlap'}`;
  });
  return [
    `compared with ${before.startedAt.slice(0, 16)} (load ${before.machine.loadBefore.toFixed(1)} then):`,
    ...lines,
  ].join('\n  ');
}
