import { markdownTable } from '../../support/markdown-table.ts';
import { imagesOf } from '../../support/plots/named-plot.ts';
import { type Figure, isMet, judgedOf, shortNumber, spreadOf } from '../support/figure.ts';
import type { KeptReport } from '../support/kept-reports.ts';
import { describeRun } from './describe-run.ts';
import { peersSection } from './peers.ts';

/** The recordings that the page is written from. */
export interface SpeedRecordings {
  stages: readonly KeptReport[];
  growth: readonly KeptReport[];
  peers: readonly KeptReport[];
}

/** The text of docs/speed.md; every figure in it is a recorded one. */
export const pageOf = ({ stages, growth, peers }: SpeedRecordings): string =>
  `${[
    '# Speed',
    `For whoever asks what Hookline costs, what limits it, and how it compares with its peers: the last recorded run of each
[bench](../test/bench/README.md), with [all it recorded](../test/bench/recorded). \`npm run docs:write\` writes this page.`,
    `Ratios hold on other machines, absolute figures do not. Aims were set before measuring, and a missed one is **missed**. A run accounts for
everything that it sent, or its figures do not count. Where there were several turns, a figure is their median, with the range.`,
    ...peers.map(peersSection),
    ...(stages.length === 0
      ? []
      : [
          '## Stages',
          `Each stage by itself, beside the best possible value: what a bare program reaches that does only the unavoidable part, in the same turns.`,
          ...stages.map(section),
        ]),
    ...(growth.length === 0 ? [] : ['## Growth', growthTable(growth)]),
  ].join('\n\n')}\n`;

function section(report: KeptReport): string {
  const { bench, setUp, figures, plots = [], unaccounted } = report;
  return [
    `### ${bench}`,
    `${sentence(setUp)} ${describeRun(report)}`,
    ...(unaccounted.length === 0 ? [] : [`**Unaccounted for:** ${unaccounted.join('; ')}`]),
    stageTable(figures.filter(({ isDetail }) => isDetail !== true)),
    imagesOf('speed', plots),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function stageTable(figures: readonly Figure[]): string {
  const columns: readonly [heading: string, cellOf: (figure: Figure) => string][] = [
    ['figure', ({ name }) => name],
    ['measured', ({ values, unit }) => `${withRange(values)} ${unit}`],
    ['best possible', ({ ceiling }) => (ceiling === undefined ? '' : `${ceiling.name}: ${medianOf(ceiling.values)}`)],
    ['ratio', ratioOf],
    ['aim', (figure) => (figure.aim === undefined ? '' : `${aimOf(figure)}: ${verdictOf(figure)}`)],
  ];
  const filled = columns.filter(([, cellOf]) => figures.some((figure) => cellOf(figure) !== ''));
  return markdownTable(
    filled.map(([heading]) => heading),
    figures.map((figure) => filled.map(([, cellOf]) => cellOf(figure))),
  );
}

/** The cost of one operation with little and with much of something. */
const growthTable = (reports: readonly KeptReport[]): string =>
  [
    `What one operation costs with little and with much of something, in turns. The aim is ${aims(reports)} times.`,
    markdownTable(
      ['bench', 'cost', 'with little', 'with much', 'times', '', 'on', 'commit'],
      reports.flatMap((report) =>
        report.figures.map((figure) => [
          report.bench,
          figure.unit,
          `${figure.ceiling?.name.replace('with ', '')}: ${medianOf(figure.ceiling?.values ?? [])}`,
          `${figure.name.replace('with ', '')}: ${medianOf(figure.values)}`,
          ratioOf(figure),
          [verdictOf(figure), ...report.unaccounted].join('; '),
          report.startedAt.slice(0, 10),
          report.commit,
        ]),
      ),
    ),
  ].join('\n\n');

const aims = (reports: readonly KeptReport[]): string =>
  [...new Set(reports.flatMap(({ figures }) => figures.map(aimOf)))].join(' or ');

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const medianOf = (values: readonly number[]): string => shortNumber(spreadOf(values).median);
const aimOf = ({ aim }: Figure): string =>
  aim === undefined ? '' : 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`;
const verdictOf = (figure: Figure): string =>
  figure.aim === undefined ? '' : isMet(figure) === true ? 'met' : '**missed**';

function withRange(values: readonly number[]): string {
  const { median, least, most } = spreadOf(values);
  return values.length > 1
    ? `${shortNumber(median)} (${shortNumber(least)} to ${shortNumber(most)})`
    : shortNumber(median);
}

function ratioOf(figure: Figure): string {
  if (figure.ceiling === undefined) return '';
  const { median, least, most } = judgedOf(figure);
  const range = figure.values.length > 1 ? ` (${shortNumber(least)} to ${shortNumber(most)})` : '';
  return `${shortNumber(median)}${range}`;
}
