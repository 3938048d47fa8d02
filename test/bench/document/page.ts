import { markdownTable } from '../../support/markdown-table.ts';
import { imagesOf } from '../../support/plots/named-plot.ts';
import { type Figure, isMet, judgedOf, shortNumber, spreadOf } from '../support/figure.ts';
import type { KeptReport } from '../support/kept-reports.ts';

/** The recordings that the page is written from. */
export interface SpeedRecordings {
  stages: readonly KeptReport[];
  growth: readonly KeptReport[];
  peers: readonly KeptReport[];
}

/** The text of docs/speed.md; every figure in it is a recorded one. */
export const pageOf = ({ stages, growth, peers }: SpeedRecordings): string =>
  `${[
    '# How fast it is',
    `Each figure beside what it can't do better than, measured in the same run on the same machine: ratios hold elsewhere, absolutes do not. A run
accounts for everything that it has sent, or its figures do not count. *Aims* are those that the project has set itself before it measured;
one that is missed stays missed until a run meets it.`,
    'Written by `npm run docs:write` from [what was recorded](../test/bench/recorded) ([the benches](../test/bench/README.md)); no figure here is written by hand.',
    '## At a glance',
    glance([...stages, ...growth, ...peers]),
    ...stages.map(section),
    ...(growth.length === 0
      ? []
      : [
          '## Where there is more of something',
          'What one of something costs with little of something else, and with much of it, in turns. The aim is 1.2 times.',
          ...growth.map(section),
        ]),
    ...(peers.length === 0
      ? []
      : [
          '## Beside its peers',
          `The same events to others' systems and to this one, on the same machine, one after the other ([how](../test/bench/peers/README.md)): Hookline's
figures beside those of the peer that does best, then all of them. A system that was not measured is named with the reason.`,
          ...peers.map(section),
        ]),
  ].join('\n\n')}\n`;

/** The figures that have an aim. */
const glance = (reports: readonly KeptReport[]): string =>
  markdownTable(
    ['figure', '', 'beside', 'ratio', 'aim', ''],
    reports.flatMap(({ bench, figures }) =>
      figures
        .filter(({ aim }) => aim !== undefined)
        .map((figure) => rowOf(`[${bench}](#${bench}): ${figure.name}`, figure)),
    ),
  );

function section({
  bench,
  startedAt,
  again,
  machine,
  setUp,
  figures,
  notes,
  plots = [],
  unaccounted,
}: KeptReport): string {
  return [
    `### ${bench}`,
    `${setUp}. On ${startedAt.slice(0, 10)}: ${machine.cpus}, ${machine.memoryGiB} GiB, Node ${machine.node}, load before ${machine.loadBefore.toFixed(1)}.`,
    ...(unaccounted.length === 0 ? [] : [`**Unaccounted for:** ${unaccounted.join('; ')}`]),
    markdownTable(
      ['figure', '', 'beside', 'ratio', 'aim', ''],
      figures.map((figure) => rowOf(figure.name, figure)),
    ),
    notes.map(noteOf).join('\n'),
    imagesOf('speed', plots),
    `Again: \`${again}\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function rowOf(name: string, figure: Figure): string[] {
  const { unit, values, ceiling, aim } = figure;
  return [
    name,
    `${withRange(values)} ${unit}`,
    ceiling === undefined ? '' : `${ceiling.name}: ${shortNumber(spreadOf(ceiling.values).median)}`,
    ceiling === undefined ? '' : describeRatio(figure),
    aim === undefined ? '' : 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`,
    aim === undefined ? '' : isMet(figure) === true ? 'met' : '**missed**',
  ];
}

function withRange(values: readonly number[]): string {
  const { median, least, most } = spreadOf(values);
  return values.length > 1
    ? `${shortNumber(median)} (${shortNumber(least)} to ${shortNumber(most)})`
    : shortNumber(median);
}

function describeRatio(figure: Figure): string {
  const { median, least, most } = judgedOf(figure);
  const range = figure.values.length > 1 ? ` (${shortNumber(least)} to ${shortNumber(most)})` : '';
  return `${shortNumber(median)}${range}`;
}

/** A profile is a table of its own: it is kept as it was printed. */
const noteOf = (note: string): string => (note.includes('\n') ? `\n\`\`\`\n${note}\n\`\`\`` : `- ${note}`);
