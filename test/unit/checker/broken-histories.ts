import type { Anomaly } from '../../faults/checker/anomalies.ts';
import { addPoller, addPublish, at, faultThroughout, type MutableHistory, stepOf } from './healthy-history.ts';

/** One broken history each: what a system with that fault would have left behind. */
export const brokenHistories: [anomaly: Anomaly, title: string, break_: (history: MutableHistory) => void][] = [
  ['lost-write', 'a receipt that was given for nothing', ({ topics }) => void topics['webhooks.received'].pop()],
  [
    'aborted-read',
    'a refused webhook on the topic',
    ({ sends }) => Object.assign(at(sends, 0), { outcome: 'fail', status: 401, receiptId: null }),
  ],
  [
    'phantom-record',
    'a record that nobody sent',
    ({ topics }) => (at(topics['webhooks.received'], 3).traceId = 'another'),
  ],
  ['phantom-event', 'an event of no record', ({ topics }) => (at(topics.events, 0).origin = 'received-0-77')],
  ['phantom-event', 'a duplicate of no record', ({ topics }) => (at(topics.duplicates, 0).origin = 'received-0-77')],
  ['phantom-event', 'an event that only the API knows', ({ api }) => (at(api, 0).id = 'evt_77')],
  [
    'changed-bytes',
    'a record with other bytes than were sent',
    ({ topics }) => (at(topics['webhooks.received'], 1).bodySha256 = 'x'),
  ],
  [
    'changed-bytes',
    'a record under another receipt id than the sender was told',
    ({ sends }) => (at(sends, 0).receiptId = 'rcp_1'),
  ],
  [
    'changed-bytes',
    'an event with other bytes than its record',
    ({ topics }) => (at(topics.events, 0).payloadSha256 = 'x'),
  ],
  [
    'changed-bytes',
    'a delivery with other bytes than its event',
    ({ topics }) => (at(topics.deliveries, 0).payloadSha256 = 'x'),
  ],
  ['changed-bytes', 'an arrival with other bytes than its event', ({ arrivals }) => (at(arrivals, 0).bodySha256 = 'x')],
  [
    'inconsistent-offsets',
    'one event id for two bodies',
    ({ topics, faults }) => {
      faults.push(faultThroughout);
      topics.events.push({ ...at(topics.events, 0), position: 'events-0-9', payloadSha256: 'x' });
    },
  ],
  [
    'unseen',
    'a record that dedup has not come to',
    ({ topics, committed }) => {
      topics.duplicates.pop();
      committed.dedup['received-0'] = 3;
    },
  ],
  [
    'unseen',
    'an event that fan-out has not come to',
    (history) => {
      withoutFanOut(history);
      history.committed['fan-out']['events-0'] = 0;
    },
  ],
  ['unseen', 'a delivery that is still to be retried', ({ topics }) => (stepOf(topics, 0).status = 'retrying')],
  ['vanished-record', 'a record that dedup passed without a trace', ({ topics }) => void topics.duplicates.pop()],
  [
    'two-ends',
    'a record that is both an event and a duplicate',
    ({ topics }) => (at(topics.duplicates, 0).origin = 'received-0-0'),
  ],
  [
    'two-ends',
    'a record that is both an event and a dead letter',
    ({ topics }) => void topics['dead-letters'].push(deadLetter({ stage: 'dedup', origin: 'received-0-0' })),
  ],
  [
    'two-ends',
    'a delivery that is dead-lettered, though its receiver had taken it',
    ({ topics }) => {
      Object.assign(stepOf(topics, 0), { status: 'dead_lettered', outcome: 'http_5xx' });
      topics['dead-letters'].push(deadLetter({ stage: 'dispatcher', origin: 'dlv_0_a' }));
    },
  ],
  [
    'two-ends',
    'a delivery that is both delivered and dead-lettered',
    ({ topics }) => void topics['dead-letters'].push(deadLetter({ stage: 'dispatcher', origin: 'dlv_0_a' })),
  ],
  [
    'second-event-id',
    'a repeated webhook that became a second event',
    ({ topics }) => {
      topics.duplicates.pop();
      topics.events.push({
        ...at(topics.events, 1),
        position: 'events-0-9',
        id: 'evt_9',
        origin: 'received-0-3',
        receiptId: 'rcp_3',
        dedupKey: 'another',
      });
    },
  ],
  [
    'second-event-id',
    'a record that became two events',
    ({ topics, faults }) => {
      faults.push(faultThroughout);
      topics.events.push({ ...at(topics.events, 1), position: 'events-0-9', id: 'evt_9' });
    },
  ],
  ['false-duplicate', 'a webhook taken for another', ({ topics }) => (at(topics.duplicates, 0).eventId = 'evt_1')],
  ['false-duplicate', 'a repetition counted as changed', ({ topics }) => (at(topics.duplicates, 0).changed = true)],
  [
    'duplicate-of-nothing',
    'an event that was claimed, never published, and so lost',
    ({ topics }) => {
      topics.events.pop();
      topics.duplicates.push({
        position: 'duplicates-0-9',
        origin: 'received-0-2',
        receiptId: 'rcp_2',
        eventId: 'evt_1',
        eventIdEnd: '_1',
        dedupKey: 'key-1',
        changed: false,
      });
    },
  ],
  ['missing-delivery', 'an event that fan-out passed', withoutFanOut],
  [
    'missing-delivery',
    'a set of which a chunk was never written',
    ({ topics }) => void (fanOutOf(topics).chunk = { try: 'died', index: 0, count: 2 }),
  ],
  ['missing-delivery', 'an endpoint left out of the set', ({ topics }) => void fanOutOf(topics).deliveries.pop()],
  ['missing-delivery', 'a delivery of the set that was never written', ({ topics }) => void topics.deliveries.shift()],
  [
    'missing-delivery',
    'a delivery recorded as delivered that no receiver took',
    ({ arrivals }) => (at(arrivals, 0).answered = 500),
  ],
  [
    'phantom-delivery',
    'an arrival of an event that does not exist',
    ({ arrivals }) => (at(arrivals, 0).eventId = 'evt_77'),
  ],
  [
    'phantom-delivery',
    'an endpoint that had not settled yet',
    ({ endpoints }) => (at(endpoints, 0).createdAtMs += 59_000),
  ],
  [
    'phantom-delivery',
    'an endpoint that does not take the source',
    ({ endpoints }) => (at(endpoints, 0).sourceIds = ['src_2']),
  ],
  [
    'phantom-delivery',
    'two deliveries for one endpoint',
    ({ topics }) => fanOutOf(topics).deliveries.push({ id: 'dlv_9', endpointId: 'ep_a' }),
  ],
  [
    'phantom-delivery',
    'a fan-out of an event that was never published',
    ({ topics }) => (fanOutOf(topics).eventId = 'evt_77'),
  ],
  [
    'phantom-delivery',
    'a delivery written outside of any set',
    ({ topics }) => (at(topics.deliveries, 0).id = 'dlv_77'),
  ],
  [
    'lost-dead-letter',
    'a dead-lettered delivery without its letter',
    ({ topics }) => Object.assign(stepOf(topics, 0), { status: 'dead_lettered', outcome: 'timeout' }),
  ],
  [
    'reopened-delivery',
    'a delivered delivery that went back to waiting',
    ({ topics }) =>
      void topics['delivery.attempts'].push({ ...stepOf(topics, 0), step: 2, attempt: 2, status: 'retrying' }),
  ],
  [
    'refused-signature',
    'a signature that one verifier refused',
    ({ arrivals }) => (at(arrivals, 0).signatures = { stripe: false, standardwebhooks: true }),
  ],
  [
    'repeat-without-fault',
    'a request that was written twice',
    ({ topics }) => {
      topics['webhooks.received'].push({
        ...at(topics['webhooks.received'], 0),
        position: 'received-0-9',
        origin: 'received-0-9',
      });
    },
  ],
  [
    'repeat-without-fault',
    'an event published twice',
    ({ topics }) => void topics.events.push({ ...at(topics.events, 0), position: 'events-0-9' }),
  ],
  [
    'repeat-without-fault',
    'a delivery written twice',
    ({ topics }) => void topics.deliveries.push({ ...at(topics.deliveries, 0), position: 'deliveries-0-9' }),
  ],
  [
    'repeat-without-fault',
    'a delivery written twice, beside faults of services that do not write it',
    ({ topics, faults }) => {
      topics.deliveries.push({ ...at(topics.deliveries, 0), position: 'deliveries-0-9' });
      for (const service of ['ingress', 'dedup', 'projector'] as const) faults.push({ ...faultThroughout, service });
    },
  ],
  [
    'repeat-without-fault',
    'an event that one endpoint took twice',
    ({ arrivals }) => void arrivals.push({ ...at(arrivals, 0) }),
  ],
  [
    'repeat-without-fault',
    'a repetition before the only fault',
    ({ arrivals, faults }) => {
      arrivals.push({ ...at(arrivals, 0) });
      faults.push({ ...faultThroughout, atMs: at(arrivals, 0).atMs + 5_000 });
    },
  ],
  [
    'leftover-row',
    'a waiting row of an ended delivery',
    ({ tables }) => void tables.waiting.push({ deliveryId: 'dlv_0_a', state: 'parked' }),
  ],
  ['leftover-row', 'a dedup key that was never completed', ({ tables }) => (at(tables.dedupKeys, 0).completed = false)],
  [
    'leftover-row',
    'a dedup key of an event that was never published',
    ({ tables }) => (at(tables.dedupKeys, 0).eventId = 'evt_77'),
  ],
  ['api-disagrees', 'a status that is not the deliveries’', ({ api }) => (at(api, 0).status = 'processing')],
  ['api-disagrees', 'a duplicate that was not counted', ({ api }) => (at(api, 0).duplicates = 0)],
  ['api-disagrees', 'a duplicate counted as changed', ({ api }) => (at(api, 0).duplicatesChanged = 1)],
  [
    'api-disagrees',
    'counts that are not those of the deliveries',
    ({ api }) => Object.assign(at(api, 0).counts, { pending: 1, delivered: 1 }),
  ],
  ['api-disagrees', 'a delivery that the API does not show', ({ api }) => void at(api, 0).deliveries.pop()],
  ['api-disagrees', 'attempts that the API did not count', ({ api }) => (at(at(api, 0).deliveries, 0).attempts = 0)],
  ['poll-skip', 'an event that the list leaves out', ({ api }) => void api.pop()],
  ['poll-skip', 'a receipt that leads nowhere', ({ tables }) => void tables.receipts.pop()],
  ['nonmonotonic-poll', 'two events with one updated_at', ({ api }) => (at(api, 1).updatedAt = at(api, 0).updatedAt)],
  [
    'duplicate-of-nothing',
    'a duplicate of which no event of its key has the end of the id',
    ({ topics }) => Object.assign(at(topics.duplicates, 0), { eventId: null, eventIdEnd: 'zz' }),
  ],
  [
    'needless-dead-letter',
    'a sound webhook that became a dead letter',
    ({ topics }) => {
      topics.duplicates.pop();
      topics['dead-letters'].push(deadLetter({ stage: 'dedup', origin: 'received-0-3' }));
    },
  ],
  [
    'no-answer',
    'a request without an answer while only dedup was killed',
    ({ sends, faults }) => {
      Object.assign(at(sends, 0), { outcome: 'info', status: null, receiptId: null, detail: 'ETIMEDOUT' });
      faults.push({ ...faultThroughout, service: 'dedup' });
    },
  ],
  [
    'late-answer',
    'a 503 after four seconds',
    ({ sends }) =>
      Object.assign(at(sends, 0), {
        outcome: 'info',
        status: 503,
        receiptId: null,
        startedAtMs: at(sends, 0).endedAtMs - 4_000,
      }),
  ],
  [
    'phantom-delivery',
    'one arrival more than was delivered or repeated',
    ({ arrivals }) =>
      void arrivals.push(
        { ...at(arrivals, 0), endpointId: 'ep_b', eventId: 'evt_1' },
        { ...at(arrivals, 0), endpointId: 'ep_c' },
      ),
  ],
  [
    'does-not-add-up',
    'an event that the API shows as under way, once nothing is',
    ({ api }) => void (at(api, 0).status = 'processing'),
  ],
  [
    'missing-delivery',
    'an event that was published with its set, without one of its deliveries',
    ({ topics }) => {
      const [{ id }, outcomes] = [at(topics.events, 0), topics['delivery.attempts']];
      const set = outcomes.find((entry) => entry.eventId === id && entry.kind === 'fanned_out');
      if (set?.kind !== 'fanned_out') throw new Error('the event has no set');
      at(topics.events, 0).set = { atMs: set.atMs, deliveries: set.deliveries };
      outcomes.splice(outcomes.indexOf(set), 1);
      topics.deliveries.splice(0, 1);
    },
  ],
  published(
    'second-effect',
    'a key with two events',
    ({ topics }) => void topics.events.push({ ...at(topics.events, 2), position: 'events-0-9', id: 'evt_9' }),
  ),
  published('lost-write', 'an answer for an event that is not there', ({ topics }) => void topics.events.pop()),
  published('second-answer', 'a replay of another answer', (_, { calls }) => (at(calls, 1).answerSha256 = 'other')),
  published('false-answer', 'a replay that nobody has stored', (_, { calls }) => (at(calls, 1).eventId = 'evt_9')),
  published(
    'phantom-event',
    'a published event with other bytes than were given',
    ({ topics }) => (at(topics.events, 2).payloadSha256 = 'x'),
  ),
  published('aborted-read', 'an event of a refused key', (_, { calls }) =>
    calls.forEach((call) => (call.status = 400)),
  ),
  published('unanswered-key', 'a key that nobody answered', (_, { calls }) =>
    calls.forEach((call) => Object.assign(call, { status: null, eventId: null, detail: 'ECONNRESET' })),
  ),
  polled('poll-skip', 'a poller that was not shown a change', ({ items }) => void items.splice(1, 1)),
  polled('poll-skip', 'a poller that was not shown the last change', ({ items }) => void items.pop()),
  polled('poll-skip', 'a poller that was early, and not shown what there was', ({ answers }) => {
    answers.unshift({ endedAtMs: Date.UTC(2026, 0, 1) + 1_500, items: 0, position: '2026-01-01T00:00:01.000000Z' });
  }),
  polled('nonmonotonic-poll', 'a poller that went back', ({ items }) => void items.reverse()),
  polled('stuck-poller', 'a poller that did not come to the end', (poller) => {
    poller.items.pop();
    poller.position = at(poller.items, 1).updatedAt;
  }),
];

type Broken = (typeof brokenHistories)[number];

function published(
  anomaly: Anomaly,
  title: string,
  break_: (history: MutableHistory, publish: MutableHistory['publishes'][number]) => void,
): Broken {
  const breakIt = (history: MutableHistory): void => {
    addPublish(history);
    break_(history, at(history.publishes, 0));
  };
  return [anomaly, title, breakIt];
}

function polled(anomaly: Anomaly, title: string, break_: (poller: MutableHistory['pollers'][number]) => void): Broken {
  const breakIt = (history: MutableHistory): void => {
    addPoller(history);
    break_(at(history.pollers, 0));
  };
  return [anomaly, title, breakIt];
}

type Topics = MutableHistory['topics'];

const fanOutOf = (topics: Topics) =>
  at(
    topics['delivery.attempts'].filter((entry) => entry.kind === 'fanned_out'),
    0,
  );

function withoutFanOut({ topics }: MutableHistory): void {
  topics['delivery.attempts'] = topics['delivery.attempts'].filter((entry) => entry.eventId !== 'evt_0');
  topics.deliveries = topics.deliveries.filter((entry) => entry.eventId !== 'evt_0');
}

function deadLetter(facts: { stage: 'dedup' | 'dispatcher'; origin: string }): Topics['dead-letters'][number] {
  return { position: 'dead-letters-0-0', reason: 'retries_exhausted', atMs: Date.UTC(2026, 0, 1), ...facts };
}
