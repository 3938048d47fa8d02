import { alignFigures } from '../../support/align-figures.ts';
import type { HttpResult } from './http/fuzz-http.ts';
import type { FuzzingResult } from './run.ts';
import type { TopicsResult } from './topics/fuzz-topics.ts';

export const tablesOf = ({ http, topics, memory }: FuzzingResult): string[] => [
  ...(http === undefined ? [] : [httpTable(http)]),
  ...(topics === undefined ? [] : [topicsTable(topics)]),
  `MiB at the most: ${Object.entries(memory)
    .map(([name, samples]) => `${name} ${Math.max(0, ...samples).toFixed()}`)
    .join(', ')}`,
];

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, each) => all + each, 0);
const isAnswer = (status: string): boolean => /^\d/.test(status);

function httpTable({ routes, known, controls }: HttpResult): string {
  const statuses = [...new Set(routes.flatMap(({ answers }) => Object.keys(answers)))].sort();
  const answered = routes.filter(({ answers }) => Object.keys(answers).some(isAnswer));
  const kinds = new Set(routes.flatMap((route) => Object.keys(route.kinds)));
  const total = routes.reduce((all, { requests }) => all + requests, 0);
  const rows = routes.map(({ route, requests, answers }) => [
    ...[route, String(requests)],
    ...statuses.map((status) => String(answers[status] ?? '')),
  ]);
  return [
    alignFigures([['route', 'requests', ...statuses], ...rows]),
    `routes fuzzed ${answered.length} of ${known}; ${total} requests of ${kinds.size} kinds, ${2 * controls} controls`,
  ].join('\n');
}

function topicsTable({ topics, readers }: TopicsResult): string {
  const heads = ['topic', 'kinds', 'forged', 'sound', 'ends without a letter', 'dead letters'];
  const rows = [...topics].map(
    ([
      name,
      {
        kinds: { control = 0, ...kinds },
        processed,
        letters,
      },
    ]) => [
      ...[name, Object.keys(kinds).length, sum(kinds), control, processed].map(String),
      Object.entries(letters)
        .map(([reason, times]) => `${reason} ${times}`)
        .join(', '),
    ],
  );
  const known = new Set(readers.map(({ topic }) => topic)).size;
  return [
    alignFigures([heads, ...rows]),
    `topics fuzzed ${topics.size} of ${known}, at ${readers.length} readers`,
  ].join('\n');
}
