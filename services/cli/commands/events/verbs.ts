import { apiVerb, tenantOption } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { usageFailure } from '../../command-failure.ts';
import { bulkOptions } from '../../options/bulk-options.ts';
import { exitCodesOfReplay } from '../../options/replay-limits.ts';
import { readJson, readTextFile } from '../../options/read-text-file.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import { columns, table } from '../../output/print.ts';
import { list, text, verb } from '../../verb.ts';
import { type Event, eventRow, listedColumns } from './event-view.ts';
import { explainVerbs } from './explain-verbs.ts';
import { filterOptions, findFilter, findOptions, queryOf } from './filter-options.ts';
import { findEvents } from './find-events.ts';
import { readTags } from './read-tags.ts';
import { type EventRequest, requestText } from './request-view.ts';

export const events = {
  publish: apiVerb({
    summary: 'Publish an event',
    description:
      'Publishes an event of your own. It is delivered like a webhook, to the endpoints that subscribe to it. The payload is delivered exactly as it is written here.',
    resources,
    options: {
      type: text('NAME', 'the type of the event, such as order.paid'),
      payload: text('JSON', 'the payload (default: {})'),
      'payload-file': text('FILE', 'a file with the payload; - reads the standard input'),
      'event-id': text('ID', 'your own identifier: published again within 72 hours, it is the same event'),
      'ordering-key': text('TEXT', 'the ordering key; events with the same key stay in order'),
      tag: list('NAME:VALUE', 'a tag to find the event by'),
    },
    async call(api, values, _given, context) {
      const { type, payload, 'payload-file': file } = values;
      if (type === undefined) throw usageFailure('missing --type');
      if (payload !== undefined && file !== undefined)
        throw usageFailure('--payload and --payload-file exclude each other');
      const [option, json] =
        file === undefined
          ? ['payload', payload ?? '{}']
          : ['payload-file', await readTextFile(context, 'payload-file', file)];
      readJson(option, json);
      const facts = {
        ...omitAbsent({ type, event_id: values['event-id'], ordering_key: values['ordering-key'] }),
        ...(values.tag !== undefined && { tags: readTags(values.tag) }),
      };
      // Parsing and printing would change large numbers.
      const body = `${JSON.stringify(facts).slice(0, -1)},"payload":${json}}`;
      return api.ask('POST', '/events', { body });
    },
  }),
  list: apiVerb({
    summary: 'List events, newest first',
    description: 'Lists events by their receipt, newest first.',
    resources,
    options: { ...findOptions, limit: text('N', 'list at most this many (default: 50)') },
    call: (api, values, _given, { clock }) => {
      const query = queryOf({ order: 'desc', ...findFilter(values, clock.nowMs()) });
      return api.list<Event>(`/events?${query.toString()}`, readLimit(values.limit, { otherwise: 50 }));
    },
    show: (found, screen) => table(found.map(eventRow), listedColumns, screen),
  }),
  find: apiVerb({
    summary: 'Find the events that a sender, a log line or a trace names',
    description:
      'Finds events by an identifier from elsewhere: the id that the sender or publisher gave (evt_… of Stripe, X-GitHub-Delivery), a receipt (rcp_…), or a trace id. Exit code 1 if there is none.',
    resources,
    argument: 'identifier',
    call: (api, _values, { identifier }) => findEvents(api, identifier),
    show: (found, screen) => (found.length === 0 ? 'no such event' : table(found.map(eventRow), listedColumns, screen)),
    exitCode: (found) => (found.length === 0 ? 1 : 0),
  }),
  show: apiVerb({
    summary: 'Show an event with its payload',
    description: 'Shows an event, with its payload if that is JSON.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('GET', pathOf('events', id)),
  }),
  request: apiVerb({
    summary: 'Show the request that an event came with',
    description:
      'Shows method, path, client address and headers of the webhook that became the event. Signatures and other possible secrets are masked.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask<EventRequest>('GET', pathOf('events', id, 'request')),
    show: requestText,
  }),
  deliveries: apiVerb({
    summary: 'List the deliveries of an event',
    description: 'Lists the deliveries of an event: one line for each endpoint and each replay.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.list(pathOf('events', id, 'deliveries'), Infinity),
    show: columns('id', 'endpoint_id', 'generation', 'status', 'attempts', 'next_attempt_at', 'detail'),
  }),
  ...explainVerbs,
  replay: verb({
    summary: 'Replay the events that match a filter',
    description: `Sends the events that match again, to all endpoints that they match today, or to the one of --to; shows the progress until what was sent has arrived, or not. Asks first, with what would be sent: what is received after that is not sent. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    options: {
      ...findOptions,
      to: text('ID', 'send them to this endpoint alone'),
      ...bulkOptions,
      ...tenantOption(resources),
    },
    run: async (values, _given, context) => {
      const { runBulk } = await import('../../api-calls/run-bulk.ts');
      const filter = findFilter(values, context.clock.nowMs());
      const more = omitAbsent({ endpoint_id: values.to });
      return runBulk(context, { path: '/events/replay', filter, more, question: 'Send {n} deliveries again' }, values);
    },
  }),
  tail: verb({
    summary: 'Follow the changes of events as they happen',
    description:
      'Prints one line for each change of an event as it happens, in order: received, progress of its deliveries, completed. Runs until Ctrl-C. If the API is busy or away, it is asked again later, and no change is missed. Starts from now, or from --since.',
    options: {
      ...filterOptions,
      count: text('N', 'end after this many changes'),
      ...tenantOption(resources),
    },
    run: async (values, _given, context) => (await import('./tail-events.ts')).tailEvents(values, context),
  }),
};
