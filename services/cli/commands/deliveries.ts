import { apiVerb } from '../api-calls/api-verb.ts';
import { pathOf } from '../api-calls/path-of.ts';
import { type Attempt, attemptColumns, attemptRow } from '../output/attempt-view.ts';
import { table } from '../output/print.ts';

const things = 'deliveries';

export const deliveries = {
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
