import { alignFigures } from '#lib/text-table';
import type { FuzzingResult } from './run.ts';
import type { HttpResult } from './http/fuzz-http.ts';
import type { TopicsResult } from './topics/fuzz-topics.ts';

export const tablesOf = ({ http, topics, memory }: FuzzingResult): string[] => [
  ...(http === undefined ? [] : [httpTable(http)]),
  ...(topics === undefined ? [] : [topicsTable(topics)]),
  `MiB at the most: ${Object.entries(memory)
    .map(([name, samples]) => `${name} ${Math.max(0, ...samples).toFixed()}`)
    .join(', ')}`,
];

function httpTable({ routes, known, controls }: HttpResult): string {
  const statuses = [...new Set(routes.flatMap(({ answers }) => Object.keys(answers)))].sort();
  const answered = routes.filter(({ answers }) => Object.keys(answers).some((status) => /^\d/.test(status)));
  const kinds = new Set(routes.flatMap((route) => Object.keys(route.kinds)));
  const total = routes.reduce((sum, { requests }) => sum + requests, 0);
  return [
    alignFigures([
      ['route', 'requests', ...statuses],
      ...routes.map(({ route, requests, answers }) => [
        route,
        String(requests),
        ...statuses.map((status) => String(answers[status] ?? '')),
      ]),
    ]),
    `routes fuzzed ${answered.length} of ${known.length}; ${total} requests of ${kinds.size} kinds, ${2 * controls} controls`,
  ].join('\n');
}

function topicsTable({ topics, readers }: TopicsResult): string {
  return [
    alignFigures([
      ['topic', 'kinds', 'forged', 'sound', 'ends without a letter', 'dead letters'],
      ...[...topics].map(([name, { kinds, controls, processed, letters }]) => [
        name,
        String(Object.keys(kinds).length),
        String(Object.values(kinds).reduce((sum, records) => sum + records, 0)),
        String(controls),
        String(processed),
        Object.entries(letters)
          .map(([reason, times]) => `${reason} ${times}`)
          .join(', '),
      ]),
    ]),
    `topics fuzzed ${topics.size} of ${new Set(readers.map(({ topic }) => topic)).size}, at ${readers.length} readers`,
  ].join('\n');
}
