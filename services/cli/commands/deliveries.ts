import { apiVerb, tenantOption } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { showReplay } from '../api-calls/replays.ts';
import { usageFailure } from '../command-failure.ts';
import {
  bulkOptions,
  deliveryFilterOf,
  deliveryFilterOptions,
  exitCodesOfReplay,
  readWaitSeconds,
} from '../options/replay-options.ts';
import { readLimit } from '../options/values.ts';
import { columns, describe, print, table } from '../output/print.ts';
import { attemptColumns, attemptRow } from '../output/views.ts';
import { text, type Verb, verb } from '../verb.ts';

const resources = 'deliveries';

interface OneOrMany {
  action: 'retry' | 'cancel';
  summary: string;
  description: string;
  question: string;
}

/** A verb for the delivery with the id, or for those that match the filter. */
const oneOrMany = ({ action, summary, description, question }: OneOrMany): Verb =>
  verb({
    summary,
    description,
    argument: 'id',
    isArgumentOptional: true,
    options: { ...deliveryFilterOptions, ...bulkOptions, ...tenantOption(resources) },
    async run(values, { id }, context) {
      const filter = deliveryFilterOf(values, context.clock.nowMs());
      if (id === '') {
        const { runBulk } = await import('../api-calls/run-bulk.ts');
        return runBulk(context, { name: `POST /v1/deliveries/${action}`, filter, question }, values);
      }
      const ofMany = (Object.keys({ ...deliveryFilterOptions, ...bulkOptions }) as (keyof typeof values)[]).filter(
        (option) => option !== 'wait',
      );
      if (ofMany.some((option) => values[option] !== undefined && values[option] !== false))
        throw usageFailure('an id excludes filters and their options');
      const waitSeconds = readWaitSeconds(values);
      const api = connect(context, values.tenant);
      const answer = await api.call(`POST /v1/deliveries/:id/${action}`, { params: { id } });
      // A delivery that was dead-lettered is replayed.
      if ('replayed' in answer) return showReplay(context, api, answer, { ...values, waitSeconds });
      print(context, answer, values.json, describe);
      return 0;
    },
  });

export const deliveries = {
  list: apiVerb({
    summary: 'List deliveries, newest first',
    description: 'Lists deliveries with the outcome of their last attempt, newest first.',
    resources,
    options: {
      ...deliveryFilterOptions,
      limit: text('N', 'list at most this many (default: 50)'),
    },
    call: (api, values, _given, { clock }) => {
      const query = new URLSearchParams(deliveryFilterOf(values, clock.nowMs()));
      return api.list('GET /v1/deliveries', readLimit(values.limit, { otherwise: 50 }), { query });
    },
    show: columns(
      ...['created_at', 'id', 'endpoint_id', 'status', 'attempts', 'last_outcome', 'last_http_status', 'last_detail'],
    ),
  }),
  show: apiVerb({
    summary: 'Show a delivery and when it is retried',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.call('GET /v1/deliveries/:id', { params: { id } }),
  }),
  attempts: apiVerb({
    summary: 'List the attempts of a delivery and their outcomes',
    description:
      'Lists the attempts of a delivery and their outcomes, first attempt first; --json adds requests, responses and the time of each phase.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.list('GET /v1/deliveries/:id/attempts', Infinity, { params: { id } }),
    show: (attempts, screen) => table(attempts.map(attemptRow), attemptColumns, screen),
  }),
  retry: oneOrMany({
    action: 'retry',
    summary: 'Retry a delivery, or those that match a filter, now; replays those that are dead-lettered',
    description:
      'Sends a delivery that waits for its next attempt now. If it is dead-lettered, replays its dead letter and shows what becomes of it. Without an id, all deliveries that match the filter: asks first, with how many, and shows the progress until they have ended. ' +
      exitCodesOfReplay,
    question: 'Retry {n} deliveries',
  }),
  cancel: oneOrMany({
    action: 'cancel',
    summary: 'Cancel a delivery, or those that match a filter, if they are not delivered yet',
    description:
      'Cancels a delivery that waits, within seconds. One that is in flight may still be delivered. Without an id, all open deliveries that match the filter: asks first, with how many, and shows the progress until it ends.',
    question: 'Cancel {n} deliveries',
  }),
};
