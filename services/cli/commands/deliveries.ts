import { systemClock } from '#lib/clock';
import { apiVerb } from '../api-calls/api-verb.ts';
import { pathOf } from '../api-calls/path-of.ts';
import { type Attempt, attemptColumns, attemptRow } from '../output/attempt-view.ts';
import { readTime, timeForms } from '../options/read-time.ts';
import { omitAbsent, readLimit } from '../options/read-values.ts';
import { columns, table } from '../output/print.ts';
import { text } from '../verb.ts';

const things = 'deliveries';

export const deliveries = {
  list: apiVerb({
    summary: 'List deliveries, newest first',
    description: 'Lists deliveries with the outcome of their last attempt, newest first.',
    things,
    options: {
      endpoint: text('ID', 'deliveries to this endpoint'),
      status: text('NAME', 'pending, retrying, parked, delivered, dead_lettered or cancelled'),
      type: text('NAME', 'deliveries of events of this type'),
      outcome: text('NAME', 'outcome of the last attempt, such as http_5xx or timeout'),
      'http-status': text('N', 'HTTP status of the last attempt, such as 503'),
      since: text('TIME', `created at this time or later: ${timeForms}`),
      until: text('TIME', 'created before this time'),
      limit: text('N', 'list at most this many (default: 50)'),
    },
    call: (api, values) => {
      const nowMs = systemClock.nowMs();
      const query = new URLSearchParams(
        omitAbsent({
          endpoint_id: values.endpoint,
          status: values.status,
          event_type: values.type,
          outcome: values.outcome,
          http_status: values['http-status'],
          since: readTime('since', values.since, nowMs),
          until: readTime('until', values.until, nowMs),
        }),
      );
      return api.list(`/deliveries?${query.toString()}`, readLimit(values.limit, { otherwise: 50 }));
    },
    show: columns(
      ...['created_at', 'id', 'endpoint_id', 'status', 'attempts', 'last_outcome', 'last_http_status', 'last_detail'],
    ),
  }),
  show: apiVerb({
    summary: 'Show a delivery and when it is retried',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('GET', pathOf('deliveries', id)),
  }),
  attempts: apiVerb({
    summary: 'List the attempts of a delivery and their outcomes',
    description:
      'Lists the attempts of a delivery and their outcomes, first attempt first; --json adds requests, responses and the time of each phase.',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.list<Attempt>(pathOf('deliveries', id, 'attempts'), Infinity),
    show: (attempts) => table(attempts.map(attemptRow), attemptColumns),
  }),
  retry: apiVerb({
    summary: 'Retry a delivery now; replays it if it is dead-lettered',
    description:
      'Sends a delivery that waits for its next attempt now. If it is dead-lettered, replays its dead letter and shows the replay (`hookline dlq show rpl_…` shows the progress).',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('POST', pathOf('deliveries', id, 'retry')),
  }),
  cancel: apiVerb({
    summary: 'Cancel a delivery that is not delivered yet',
    description: 'Cancels a delivery that waits, within seconds. One that is in flight may still be delivered.',
    things,
    argument: 'id',
    call: (api, _values, { id }) => api.ask('POST', pathOf('deliveries', id, 'cancel')),
  }),
};
