import type { ErasedEvent, Event, EventMatch, EventRequest, EventSearch } from '#lib/api-contract';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { bulkOptions, exitCodesOfReplay } from '../options/replay-options.ts';
import { queryOf, readJson, readLimit, readTextFile } from '../options/values.ts';
import { columns, table } from '../output/print.ts';
import { list, text, verb } from '../verb.ts';
import { filterOf, filterOptions, findEvents, findFilter, findOptions, searchOptions } from './find-events.ts';

/** The JSON of an option, or of the file of the other one. */
async function readTextOrFile(context: Context, option: string, texts: Readonly<Record<string, string | undefined>>) {
  const fileOption = `${option}-file`;
  const { [option]: given = '', [fileOption]: file } = texts;
  const text = file === undefined ? given : await readTextFile(context, fileOption, file);
  return { text, json: readJson(file === undefined ? option : fileOption, text) };
}

/** `name:value`, repeatable. The API validates them. */
const readTags = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const colon = text.indexOf(':');
      if (colon === -1) throw usageFailure(`--tag must be NAME:VALUE, not ${text}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );

/** The columns of a table of events. */
const listedColumns = ['received_at', 'id', 'type', 'status', 'event_id', 'deliveries'];

const eventRow = (event: Event | ErasedEvent) => ({ ...event, deliveries: countDeliveries(event) });

/** `2 delivered, 1 retrying` */
export const countDeliveries = (event: Event | ErasedEvent): string =>
  Object.entries('deliveries' in event ? event.deliveries : {})
    .flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]))
    .join(', ');

/** As it would stand on the wire, below the address that it came from. */
function requestText(request: EventRequest): string {
  const { method, path, client_address: address, headers, truncated } = request;
  if (method === null) return 'unknown: the event did not come by HTTP, or came before requests were kept';
  return [
    `from ${address}`,
    `${method} ${path}`,
    ...(headers ?? []).map(({ name, value }) => `${name}: ${value}`),
    ...(truncated ? ['(the rest was not kept)'] : []),
  ]
    .map((line) => line.replaceAll('\n', '?'))
    .join('\n');
}

const matchColumns = ['endpoint_id', 'matched', 'why', 'delivery_id'];

const matchRow = (match: EventMatch) => ({
  endpoint_id: match.endpoint_id,
  matched: match.matched === null ? 'unknown' : match.matched ? 'yes' : 'no',
  why: whyOf(match) + sinceThen(match),
  delivery_id: match.delivery_id,
});

const reasonWords: Partial<Record<NonNullable<EventMatch['reason']>, string>> = {
  test_event: 'a test of one endpoint',
  loop: 'its webhook came back to a source that it had passed, or had passed eight others',
  disabled: 'was disabled',
  deleted: 'was deleted',
  payload_not_json: 'has a filter, and the payload is not JSON',
  payload_removed: 'has a filter, and the payload has been removed',
  history_removed: 'its settings at that time have been removed',
};

function whyOf({ reason, unjudged, expected, clause, created_at }: EventMatch): string {
  switch (reason) {
    case null:
      return unjudged === null ? 'matched' : `its filter could not be evaluated (${unjudged})`;
    case 'created_later':
      return `created at ${created_at}, which did not count yet for the event`;
    case 'type':
      return `other event types: ${expected?.join(', ')}`;
    case 'source':
      return `other sources: ${expected?.join(', ')}`;
    case 'filter':
      return clause === null
        ? 'refused by its filter'
        : `filter: ${clause.path === null ? '' : `${clause.path} `}${clause.operator} ${JSON.stringify(clause.expected)}`;
    default:
      return reasonWords[reason] ?? reason;
  }
}

/** Says what has happened to an endpoint that was open then. */
function sinceThen({ reason, disabled_at, deleted_at }: EventMatch): string {
  if (deleted_at !== null && reason !== 'deleted') return `; deleted at ${deleted_at}`;
  return disabled_at !== null && reason !== 'disabled' && reason !== 'deleted' ? `; disabled at ${disabled_at}` : '';
}

const { apiVerb, listVerb, tenantOption } = apiVerbs('events');

function progressOf({ scanned, unjudged, complete, cursor }: EventSearch): string {
  const unsearched = Object.values(unjudged).reduce((sum, count) => sum + count, 0);
  const others = unsearched === 0 ? '' : `, ${unsearched} could not be searched`;
  const rest = complete ? 'no older events' : `continue with --cursor ${cursor}`;
  return `${scanned} payloads searched${others}; ${rest}`;
}

export const events = {
  publish: apiVerb({
    summary: 'Publish an event',
    description:
      'Publishes an event of your own. It is delivered like a webhook, to the endpoints that subscribe to it. The payload is delivered exactly as it is written here.',
    options: {
      type: text('NAME', 'the type of the event, such as order.paid'),
      payload: text('JSON', 'the payload (default: {})'),
      'payload-file': text('FILE', 'a file with the payload; - reads the standard input'),
      'event-id': text('ID', 'your own identifier: published again within 72 hours, it is the same event'),
      'ordering-key': text('TEXT', 'the ordering key; events with the same key stay in order'),
      tag: list('NAME:VALUE', 'a tag to find the event by'),
    },
    async call(api, values, _given, context) {
      const { type, payload, 'payload-file': file, tag } = values;
      if (type === undefined) throw usageFailure('missing --type');
      if (payload !== undefined && file !== undefined)
        throw usageFailure('--payload and --payload-file exclude each other');
      const given = await readTextOrFile(context, 'payload', { payload: payload ?? '{}', 'payload-file': file });
      const facts = {
        type,
        event_id: values['event-id'],
        ordering_key: values['ordering-key'],
        tags: tag && readTags(tag),
      };
      // Parsing and printing would change large numbers.
      const body = `${JSON.stringify(facts).slice(0, -1)},"payload":${given.text}}`;
      return api.call('POST /v1/events', { body });
    },
  }),
  list: listVerb({
    summary: 'List events, newest first',
    description: 'Lists events by their receipt, newest first.',
    options: findOptions,
    limits: { otherwise: 50 },
    call: (api, { most, ...values }, _given, { clock }) =>
      api.list('GET /v1/events', most, { query: queryOf({ order: 'desc', ...findFilter(values, clock.nowMs()) }) }),
    show: (found, screen) => table(found.map(eventRow), listedColumns, screen),
  }),
  find: apiVerb({
    summary: 'Find the events that a sender, a log line or a trace names',
    description:
      'Finds events by an identifier from elsewhere: the id that the sender or publisher gave (evt_… of Stripe, X-GitHub-Delivery), a receipt (rcp_…), or a trace id. Exit code 1 if there is none.',
    argument: 'identifier',
    call: (api, _values, { identifier }) => findEvents(api, identifier),
    show: (found, screen) => (found.length === 0 ? 'no such event' : table(found.map(eventRow), listedColumns, screen)),
    exitCode: (found) => (found.length === 0 ? 1 : 0),
  }),
  show: apiVerb({
    summary: 'Show an event with its payload',
    description: 'Shows an event, with its payload if that is JSON.',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/events/:id', { params }),
  }),
  request: apiVerb({
    summary: 'Show the request that an event came with',
    description:
      'Shows method, path, client address and headers of the webhook that became the event. Signatures and other possible secrets are masked.',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/events/:id/request', { params }),
    show: requestText,
  }),
  deliveries: apiVerb({
    summary: 'List the deliveries of an event',
    description: 'Lists the deliveries of an event: one line for each endpoint and each replay.',
    argument: 'id',
    call: (api, _values, params) => api.list('GET /v1/events/:id/deliveries', Infinity, { params }),
    show: columns('id', 'endpoint_id', 'generation', 'status', 'attempts', 'next_attempt_at', 'detail'),
  }),
  receipts: listVerb({
    summary: 'List the arrivals of an event',
    description:
      'Lists each arrival of an event, oldest first: the first one and its duplicates, from where each came, and whether it had the same bytes.',
    argument: 'id',
    limits: { otherwise: 100 },
    call: (api, { most }, params) => api.list('GET /v1/events/:id/receipts', most, { params }),
    show: columns('received_at', 'id', 'client_address', 'kind', 'same_bytes'),
  }),
  why: apiVerb({
    summary: 'Show which endpoints got an event, and why others did not',
    description:
      'Lists every endpoint with whether the event matched it, or the first reason why not, by the settings at the time of receipt.',
    argument: 'id',
    options: { limit: text('N', 'list at most this many endpoints (default: all)') },
    call: (api, { limit }, params) => api.list('GET /v1/events/:id/matching', readLimit(limit), { params }),
    show: (matches, screen) => table(matches.map(matchRow), matchColumns, screen),
  }),
  search: apiVerb({
    summary: 'Search the payloads of the newest events',
    description:
      'Searches payloads by a filter as endpoints have it, newest events first. A search reads at most 64 MiB and 2 seconds; it says where it stopped, and --cursor continues there.',
    options: {
      filter: text('JSON', 'the filter, such as {"data.amount":{"$gt":100}}'),
      'filter-file': text('FILE', 'a file with the filter; - reads the standard input'),
      ...searchOptions,
      receipt: text('ID', 'the event of the webhook that was answered with this receipt (rcp_…)'),
      limit: text('N', 'stop after this many matches (default: 100)'),
      cursor: text('ID', 'continue after this event'),
    },
    async call(api, values, _given, context) {
      const { filter, 'filter-file': file, receipt, cursor } = values;
      if ((filter === undefined) === (file === undefined))
        throw usageFailure('exactly one of --filter and --filter-file is needed');
      const { json } = await readTextOrFile(context, 'filter', { filter, 'filter-file': file });
      const query = queryOf({
        filter: JSON.stringify(json),
        ...filterOf(values),
        limit: String(readLimit(values.limit, { max: 1_000, otherwise: 100 })),
        receipt_id: receipt,
        cursor,
      });
      return api.call('GET /v1/events/search', { query });
    },
    show: (found, screen) => `${table(found.matched.map(eventRow), listedColumns, screen)}\n${progressOf(found)}`,
  }),
  replay: verb({
    summary: 'Replay the events that match a filter',
    description: `Sends the events that match again, to all endpoints that they match today, or to the one of --to; shows the progress until what was sent has arrived, or not. Asks first, with what would be sent: what is received after that is not sent. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    options: {
      ...findOptions,
      to: text('ID', 'send them to this endpoint alone'),
      ...bulkOptions,
      ...tenantOption,
    },
    run: async (values, _given, context) => {
      const { runBulk } = await import('../api-calls/run-bulk.ts');
      const filter = findFilter(values, context.clock.nowMs());
      const bulk = { filter, endpointId: values.to, question: 'Send {n} deliveries again' };
      return runBulk(context, { name: 'POST /v1/events/replay', ...bulk }, values);
    },
  }),
  tail: verb({
    summary: 'Follow the changes of events as they happen',
    description:
      'Prints one line for each change of an event as it happens, in order: received, progress of its deliveries, completed. Runs until Ctrl-C. If the API is busy or away, it is asked again later, and no change is missed. Starts from now, or from --since.',
    options: {
      ...filterOptions,
      count: text('N', 'end after this many changes'),
      ...tenantOption,
    },
    run: async (values, _given, context) => (await import('./tail-events.ts')).tailEvents(values, context),
  }),
};
