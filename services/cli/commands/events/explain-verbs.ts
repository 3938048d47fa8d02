/** Verbs that explain events: their arrivals, their endpoints, and their payloads. */
import { apiVerb } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { usageFailure } from '../../command-failure.ts';
import { readJson, readTextFile } from '../../options/read-text-file.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import { columns, table } from '../../output/print.ts';
import { text } from '../../verb.ts';
import { type Event, listedColumns, eventRow } from './event-view.ts';
import { filterOf, filterOptions, queryOf } from './filter-options.ts';
import { type Match, matchColumns, matchRow } from './match-view.ts';

const resources = 'events';

interface Search {
  matched: Event[];
  scanned: number;
  unjudged: Readonly<Record<string, number>>;
  complete: boolean;
  cursor: string | null;
}

/** A search goes by the time of receipt, not of changes. */
const withoutSince = ({ since: _changed, ...filters }: typeof filterOptions) => filters;
const searchFilters = withoutSince(filterOptions);

export const explainVerbs = {
  receipts: apiVerb({
    summary: 'List the arrivals of an event',
    description:
      'Lists each arrival of an event, oldest first: the first one and its duplicates, from where each came, and whether it had the same bytes.',
    resources,
    argument: 'id',
    options: { limit: text('N', 'list at most this many (default: 100)') },
    call: (api, { limit }, { id }) => api.list(pathOf('events', id, 'receipts'), readLimit(limit, { otherwise: 100 })),
    show: columns('received_at', 'id', 'client_address', 'kind', 'same_bytes'),
  }),
  why: apiVerb({
    summary: 'Show which endpoints got an event, and why others did not',
    description:
      'Lists every endpoint with whether the event matched it, or the first reason why not, by the settings at the time of receipt.',
    resources,
    argument: 'id',
    options: { limit: text('N', 'list at most this many endpoints (default: all)') },
    call: (api, { limit }, { id }) => api.list<Match>(pathOf('events', id, 'matching'), readLimit(limit)),
    show: (matches, screen) => table(matches.map(matchRow), matchColumns, screen),
  }),
  search: apiVerb({
    summary: 'Search the payloads of the newest events',
    description:
      'Searches payloads by a filter as endpoints have it, newest events first. A search reads at most 64 MiB and 2 seconds; it says where it stopped, and --cursor continues there.',
    resources,
    options: {
      filter: text('JSON', 'the filter, such as {"data.amount":{"$gt":100}}'),
      'filter-file': text('FILE', 'a file with the filter; - reads the standard input'),
      ...searchFilters,
      receipt: text('ID', 'the event of the webhook that was answered with this receipt (rcp_…)'),
      limit: text('N', 'stop after this many matches (default: 100)'),
      cursor: text('ID', 'continue after this event'),
    },
    async call(api, values, _given, context) {
      const { filter, 'filter-file': file } = values;
      if ((filter === undefined) === (file === undefined))
        throw usageFailure('exactly one of --filter and --filter-file is needed');
      const [option, json] =
        file === undefined
          ? (['filter', filter ?? ''] as const)
          : (['filter-file', await readTextFile(context, 'filter-file', file)] as const);
      const query = queryOf({
        filter: JSON.stringify(readJson(option, json)),
        ...filterOf({ ...values, since: undefined }, context.clock.nowMs()).query,
        limit: String(readLimit(values.limit, { max: 1_000, otherwise: 100 })),
        ...omitAbsent({ receipt_id: values.receipt, cursor: values.cursor }),
      });
      return api.ask<Search>('GET', `/events/search?${query.toString()}`);
    },
    show: (found, screen) => `${table(found.matched.map(eventRow), listedColumns, screen)}\n${progressOf(found)}`,
  }),
};

function progressOf({ scanned, unjudged, complete, cursor }: Search): string {
  const unsearched = Object.values(unjudged).reduce((sum, count) => sum + count, 0);
  const others = unsearched === 0 ? '' : `, ${unsearched} could not be searched`;
  const rest = complete ? 'no older events' : `continue with --cursor ${cursor}`;
  return `${scanned} payloads searched${others}; ${rest}`;
}
