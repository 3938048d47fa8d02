import { apiVerbs } from '../api-calls/api-verb.ts';
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
import { queryOf } from '../options/values.ts';
import { columns, describe, print, table } from '../output/print.ts';
import { attemptColumns, attemptRow } from '../output/views.ts';
import { type Verb, verb } from '../verb.ts';

const { apiVerb, listVerb, tenantOption } = apiVerbs('deliveries');

const manyOptions = { ...deliveryFilterOptions, ...bulkOptions };

interface OneOrMany extends Pick<Verb, 'summary' | 'description'> {
  action: 'retry' | 'cancel';
  question: string;
}

/** A verb for the delivery with the id, or for those that match the filter. */
const oneOrMany = ({ action, question, ...words }: OneOrMany): Verb =>
  verb({
    ...words,
    argument: 'id',
    isArgumentOptional: true,
    options: { ...manyOptions, ...tenantOption },
    async run(values, { id }, context) {
      const filter = deliveryFilterOf(values, context.clock.nowMs());
      if (id === '') {
        const { runBulk } = await import('../api-calls/run-bulk.ts');
        return runBulk(context, { name: `POST /v1/deliveries/${action}`, filter, question }, values);
      }
      const ofMany = (Object.keys(manyOptions) as (keyof typeof manyOptions)[]).filter((option) => option !== 'wait');
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
  list: listVerb({
    summary: 'List deliveries, newest first',
    description: 'Lists deliveries with the outcome of their last attempt, newest first.',
    options: deliveryFilterOptions,
    limits: { otherwise: 50 },
    call: (api, { most, ...values }, _given, { clock }) =>
      api.list('GET /v1/deliveries', most, { query: queryOf(deliveryFilterOf(values, clock.nowMs())) }),
    show: columns(
      ...['created_at', 'id', 'endpoint_id', 'status', 'attempts', 'last_outcome', 'last_http_status', 'last_detail'],
    ),
  }),
  show: apiVerb({
    summary: 'Show a delivery and when it is retried',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/deliveries/:id', { params }),
  }),
  attempts: apiVerb({
    summary: 'List the attempts of a delivery and their outcomes',
    description:
      'Lists the attempts of a delivery and their outcomes, first attempt first; --json adds requests, responses and the time of each phase.',
    argument: 'id',
    call: (api, _values, params) => api.list('GET /v1/deliveries/:id/attempts', Infinity, { params }),
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
