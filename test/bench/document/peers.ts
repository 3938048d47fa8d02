import { markdownTable } from '../../support/markdown-table.ts';
import { aimTable } from '../peers/aim-table.ts';
import { type ComparedFigure, shortNumber, spreadOf } from '../support/figure.ts';
import type { KeptReport } from '../support/kept-reports.ts';
import { describeRun } from './describe-run.ts';

/** The systems in the order of the columns. */
const peers: Readonly<Record<string, string>> = { outpost: 'Outpost', svix: 'Svix' };
const ours: Readonly<Record<string, string>> = {
  'hookline-webhooks': 'Hookline, webhooks received',
  'hookline-events': 'Hookline, events published',
  'hookline-one-webhooks': 'Hookline in one process, webhooks',
  'hookline-one-events': 'Hookline in one process, events',
};
const systems: Readonly<Record<string, string>> = { ...peers, ...ours };
/** As many gaps are named. */
const widestShown = 4;

/** The section of the comparison: where Hookline leads, where a peer does, then every figure that has a better direction. */
export function peersSection(report: KeptReport): string {
  const compared = report.compared ?? [];
  const measured = Object.keys(systems).filter((system) => compared.some(({ values }) => system in values));
  const shown = compared.filter(({ better }) => better !== undefined);
  const figures = compared.flatMap((figure) => compare(figure) ?? []);
  const led = figures.filter(({ lead }) => lead === 'ours');
  const trailed = figures.filter(({ lead }) => lead === 'theirs');
  const widest = trailed
    .filter(({ times }) => Number.isFinite(times))
    .toSorted((a, b) => b.times - a.times)
    .slice(0, widestShown);
  return [
    '## Peers',
    `The same events to Outpost, Svix and Hookline, one after the other on the same machine ([how, and how to repeat it](../test/bench/peers/README.md)).
${describeRun(report)}`,
    `- **Hookline leads** in ${led.length} of ${figures.length} figures: ${led.map(({ figure }) => figure.name).join('; ')}.
- **A peer leads** in ${trailed.length}. The widest gaps, to the best of Hookline's: ${widest.map(({ figure, times }) => `${figure.name} (${shortNumber(times)} times)`).join('; ')}.
- Both are equal in ${figures.length - led.length - trailed.length}.`,
    `The best value of a row is bold. \`to acknowledgment\` counts from when a request was due to its 2xx, \`64 connections\` go as fast as the system answers,
and processor time includes the stores.`,
    markdownTable(
      ['figure', ...measured.map((system) => systems[system] ?? system)],
      shown.map((figure) => [`${figure.name}, ${figure.unit}`, ...measured.map((system) => cellOf(figure, system))]),
    ),
    ...aimsOf(report),
    ...(report.unaccounted.length === 0 ? [] : [`**Unaccounted for:** ${report.unaccounted.join('; ')}`]),
    `What each system has stored when it answers differs, so read the figures with it:

${report.notes
  .filter((note) => !note.includes('\n'))
  .map((note) => `- ${note}`)
  .join('\n')}`,
  ].join('\n\n');
}

interface Comparison {
  figure: ComparedFigure;
  lead: 'ours' | 'theirs' | 'neither';
  /** The leader is so much better than the other side. */
  times: number;
}

/** Undefined: there is no better and worse, or one side was not measured. */
function compare(figure: ComparedFigure): Comparison | undefined {
  const [theirs, best] = [bestOf(figure, peers), bestOf(figure, ours)];
  if (figure.better === undefined || theirs === undefined || best === undefined) return undefined;
  if (theirs === best) return { figure, lead: 'neither', times: 1 };
  return {
    figure,
    lead: best < theirs === (figure.better === 'less') ? 'ours' : 'theirs',
    times: Math.max(theirs, best) / Math.min(theirs, best),
  };
}

/** By the median; undefined where none of them was measured. */
function bestOf({ values, better }: ComparedFigure, among: typeof peers): number | undefined {
  const medians = Object.keys(among).flatMap((system) => {
    const measured = values[system];
    return measured === undefined ? [] : [spreadOf(measured).median];
  });
  if (medians.length === 0) return undefined;
  return better === 'less' ? Math.min(...medians) : Math.max(...medians);
}

function cellOf(figure: ComparedFigure, system: string): string {
  const measured = figure.values[system];
  if (measured === undefined) return '–';
  const { median, least, most } = spreadOf(measured);
  const shown = median === bestOf(figure, systems) ? `**${shortNumber(median)}**` : shortNumber(median);
  return measured.length > 1 ? `${shown} (${shortNumber(least)} to ${shortNumber(most)})` : shown;
}

/** The aims as they were when it was measured. */
function aimsOf({ figures }: KeptReport): string[] {
  const aimed = aimTable(figures, { held: 'held', missed: '**missed**' });
  if (aimed === undefined) return [];
  const [first = '', ...columns] = aimed.head;
  return [
    'The aims, each beside the better peer where it is a ratio, by the median:',
    markdownTable([first, ...columns.map((system) => systems[system] ?? system)], aimed.rows),
  ];
}
