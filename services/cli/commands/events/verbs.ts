import { systemClock } from '#lib/clock';
import { apiVerb, tenantOption } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { usageFailure } from '../../command-failure.ts';
import { readJson, readTextFile } from '../../options/read-text-file.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import { columns, table } from '../../output/print.ts';
import { text, verb } from '../../verb.ts';
import { type Event, eventColumns, eventRow } from './event-view.ts';
import { filterOf, filterOptions } from './filter-options.ts';

const things = 'events';

export const events = {
  publish: apiVerb({
    summary: 'Publish an event',
    description:
      'Publishes an event of your own. It takes the same way as webhooks, to the endpoints that subscribe to it. The payload is delivered exactly as it is written here.',
    things,
    options: {
      type: text('NAME', 'the type of the event, such as order.paid'),
      payload: text('JSON', 'the payload (default: {})'),
      'payload-file': text('FILE', 'a file with the payload; - reads the standard input'),
      'event-id': text('ID', 'your own identifier: published again within 72 hours, it is the same event'),
      'ordering-key': text('TEXT', 'the ordering key; events with the same key stay in order'),
    },
    call: (api, values) => {
      const { type, payload, 'payload-file': file } = values;
      if (type === undefined) throw usageFailure('missing --type');
      if (payload !== undefined && file !== undefined)
        throw usageFailure('--payload and --payload-file exclude each other');
      const [option, json] =
        file === undefined ? ['payload', payload ?? '{}'] : ['payload-file', readTextFile('payload-file', file)];
      readJson(option, json);
      const facts = omitAbsent({ type, event_id: values['event-id'], ordering_key: values['ordering-key'] });
      // Parsing and printing would change large numbers.
      const body = `${JSON.stringify(facts).slice(0, -1)},"payload":${json}}`;
      return api.ask('POST', '/events', { body });
    },
  }),
  list: apiVerb({
    summary: 'List events by their last change',
    description: 'Lists events in the order of their last change, oldest first.',
    things,
    options: {
      ...filterOptions,
      receipt: text('ID', 'the event of the webhook that was answered with this receipt (rcp_…)'),
      limit: text('N', 'list at most this many (default: 50)'),
    },
    call: (api, values) => {
      const query = new URLSearchParams({
        ...filterOf(values, systemClock.nowMs()),
        ...omitAbsent({ receipt_id: values.receipt }),
      });
      return api.list<Event>(`/events?${query.toString()}`, readLimit(values.limit, { otherwise: 50 }));
    },
    show: (found) => table(found.map(eventRow), eventColumns),
  }),
  show: apiVerb({
    summary: 'Show an event with its payload',
    description: 'Shows an event, with its payload if that is JSON.',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('GET', pathOf('events', id)),
  }),
  deliveries: apiVerb({
    summary: 'List the deliveries of an event',
    description: 'Lists the deliveries of an event: one line for each endpoint and each replay.',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.list(pathOf('events', id, 'deliveries'), Infinity),
    show: columns('id', 'endpoint_id', 'generation', 'status', 'attempts', 'next_attempt_at', 'detail'),
  }),
  tail: verb({
    summary: 'Follow the changes of events as they happen',
    description:
      'Prints one line for each change of an event as it happens, in order: received, progress of its deliveries, completed. Runs until Ctrl-C. If the API is busy or away, it is asked again later, and no change is missed. Starts from now, or from --since.',
    options: {
      ...filterOptions,
      count: text('N', 'end after this many changes'),
      ...tenantOption(things),
    },
    run: async (values) => (await import('./tail-events.ts')).tailEvents(values),
  }),
};
