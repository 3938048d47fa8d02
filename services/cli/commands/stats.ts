import type { Stats } from '#lib/api-contract';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { queryOf, readTimes, timeForms } from '../options/values.ts';
import { columns, type Screen, table } from '../output/print.ts';
import { text } from '../verb.ts';

export const limits = apiVerbs('request').apiVerb({
  summary: 'Show the rates and limits of the tenant, with what is used',
  description:
    'Shows the rates and limits of the tenant, of the key and of the API, and what the tenant uses now. --json adds what happens at each limit, and who raises it. Needs the scope read.',
  call: (api) => api.call('GET /v1/limits'),
  show: columns('name', 'used', 'limit', 'unit', 'whose', 'counts'),
});

/** A line for each step, or, split by something, for each key with its sums; a column for each series. */
function statsTable({ series }: Stats, screen: Screen): string {
  const names = [...new Set(series.map((each) => each.series))];
  const by = series.some(({ key }) => key !== null) ? 'key' : 'at';
  const lines = new Map<string, Record<string, string | number>>();
  for (const { series: name, key, counts } of series)
    for (const { at, count } of counts) {
      const line = key ?? at;
      const row = lines.get(line) ?? { [by]: line };
      row[name] = Number(row[name] ?? 0) + count;
      lines.set(line, row);
    }
  const rows = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return table(rows, [by, ...names], screen);
}

export const stats = apiVerbs('events').apiVerb({
  summary: 'Count events, duplicates, rejected webhooks, attempts and deliveries',
  description:
    'Counts events, duplicates, rejected webhooks, failed attempts and ended deliveries: one line for each step, or with --by for each source, endpoint, type or outcome. Rejected webhooks are counted approximately. Minutes are kept for 48 hours, hours for 90 days, days for 400 days. --json has every key and step.',
  options: {
    series: text('LIST', 'some of received,duplicates,rejected,delivered,failed,dead_lettered (default: all)'),
    by: text('WHAT', 'source, endpoint, type or outcome'),
    step: text('STEP', '1m, 1h or 1d (default: 1h)'),
    since: text('TIME', timeForms),
    until: text('TIME', timeForms),
  },
  call: (api, { series, by, step, ...times }, _given, { clock }) =>
    api.call('GET /v1/stats', { query: queryOf({ series, by, step, ...readTimes(times, clock.nowMs()) }) }),
  show: statsTable,
});

export const system = apiVerbs('processes').apiVerb({
  summary: 'Show the running processes, the consumer lag and the dependencies',
  description: 'Shows the running processes, the consumer lag of each stage and the dependencies. Needs the admin key.',
  call: (api) => api.call('GET /v1/system'),
  show: ({ processes, stages, dependencies }, screen) =>
    [
      table(processes, ['service', 'host', 'pid', 'version', 'status', 'beat_at'], screen),
      table(stages, ['service', 'topic', 'partitions', 'records', 'seconds'], screen),
      table(
        dependencies.map(({ name, up, down_for }) => ({ name, up: up ? 'yes' : 'no', down_for: down_for.join(', ') })),
        ['name', 'up', 'down_for'],
        screen,
      ),
    ].join('\n\n'),
});
