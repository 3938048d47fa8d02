import { type Anomaly, anomalies } from '../../faults/checker/anomalies.ts';
import { check } from '../../faults/checker/check.ts';
import { faultThroughout, healthyHistory, type MutableHistory } from './healthy-history.ts';

/** One broken history each: what a system with that fault would have left behind. */
const brokenHistories: [anomaly: Anomaly, title: string, break_: (history: MutableHistory) => void][] = [
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
    ({ topics }) => void topics['dead-letters'].push(letter({ stage: 'dedup', origin: 'received-0-0' })),
  ],
  [
    'two-ends',
    'a delivery that is dead-lettered, though its receiver had taken it',
    ({ topics }) => {
      Object.assign(stepOf(topics, 0), { status: 'dead_lettered', outcome: 'http_5xx' });
      topics['dead-letters'].push(letter({ stage: 'dispatcher', origin: 'dlv_0_a' }));
    },
  ],
  [
    'two-ends',
    'a delivery that is both delivered and dead-lettered',
    ({ topics }) => void topics['dead-letters'].push(letter({ stage: 'dispatcher', origin: 'dlv_0_a' })),
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
        dedupKey: 'key-1',
        changed: false,
      });
    },
  ],
  ['missing-delivery', 'an event that fan-out passed', withoutFanOut],
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
    ({ endpoints }) => (at(endpoints, 0).createdAtMs += 58_000),
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
    'lost-letter',
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
    'does-not-add-up',
    'one arrival more than was delivered or repeated',
    ({ arrivals }) =>
      void arrivals.push(
        { ...at(arrivals, 0), endpointId: 'ep_b', eventId: 'evt_1' },
        { ...at(arrivals, 0), endpointId: 'ep_c' },
      ),
  ],
];

describe('the checker', () => {
  it('finds nothing in a history in which all went well, and its counts add up', () => {
    const { violations, text } = check(healthyHistory());

    expect(violations).toEqual([]);
    expect(text).toContain('webhooks received (origins)        4 = became an event 2 + duplicate 2 + dead letter 0');
    expect(text).not.toContain('≠');
  });

  it.each(brokenHistories)('says %s of %s', (anomaly, _title, breakIt) => {
    const history = healthyHistory();
    breakIt(history);

    expect(check(history).violations.map((violation) => violation.anomaly)).toContain(anomaly);
  });

  it('has a broken history for every anomaly that it knows', () => {
    expect(new Set(brokenHistories.map(([anomaly]) => anomaly))).toEqual(new Set(Object.keys(anomalies)));
  });

  it('finds nothing wrong with repetitions around a fault, and counts them', () => {
    const history = healthyHistory();
    history.faults.push(faultThroughout);
    history.topics.events.push({ ...at(history.topics.events, 0), position: 'events-0-9' });
    history.topics.deliveries.push({ ...at(history.topics.deliveries, 0), position: 'deliveries-0-9' });
    history.topics['delivery.attempts'].push({ ...stepOf(history.topics, 0), position: 'attempts-0-9' });
    history.arrivals.push({ ...at(history.arrivals, 0), atMs: at(history.arrivals, 0).atMs + 2_000 });
    const { violations, text } = check(history);

    expect(violations).toEqual([]);
    expect(text).toContain('3 = event ids 2 + published again 1');
    expect(text).toContain('5 = delivered 4 + repeated 1');
  });

  it('finds nothing wrong with a second delivery after an answer that came too late', () => {
    const history = healthyHistory();
    const { topics, arrivals, api } = history;
    const first = stepOf(topics, 0);
    topics['delivery.attempts'].push({ ...first, position: 'attempts-0-9', step: 2, attempt: 2 });
    Object.assign(first, { status: 'retrying', outcome: 'timeout' });
    arrivals.push({ ...at(arrivals, 0), attempt: 2 });
    at(at(api, 0).deliveries, 0).attempts = 2;

    expect(check(history).violations).toEqual([]);
  });

  it('lets the higher step say where a delivery stands, and of one step the record that came first', () => {
    const history = healthyHistory();
    history.faults.push(faultThroughout);
    const { topics, arrivals, api } = history;
    const first = stepOf(topics, 0);
    // Killed after the outcome of step 1: the record is sent again while its row is sent as step 2.
    topics['delivery.attempts'].push({ ...first, position: 'attempts-0-9' });
    topics['delivery.attempts'].push({ ...first, position: 'attempts-0-10', step: 2, attempt: 2 });
    Object.assign(first, { status: 'retrying', outcome: 'http_5xx' });
    arrivals.push({ ...at(arrivals, 0), attempt: 2 });
    at(at(api, 0).deliveries, 0).attempts = 2;

    expect(check(history).violations).toEqual([]);
  });

  it('takes either outcome of a request whose answer was lost', () => {
    const history = healthyHistory();
    const unanswered = { outcome: 'info', status: null, receiptId: null, detail: 'ECONNRESET' } as const;
    Object.assign(at(history.sends, 0), unanswered);
    history.sends.push({ ...at(history.sends, 0), number: 4, traceId: 'trace-4' });

    expect(check(history).violations).toEqual([]);
  });

  it('takes a second event for right once the first one’s time to live is over', () => {
    const history = healthyHistory();
    const { topics } = history;
    const afterTtlMs = at(topics.events, 0).receivedAtMs + 60_000;
    for (const record of topics['webhooks.received']) record.dedupTtlSeconds = 60;
    const last = at(topics['webhooks.received'], 3);
    last.receivedAtMs = afterTtlMs;
    topics.duplicates.pop();
    topics.events.push({
      ...at(topics.events, 1),
      position: 'events-0-9',
      id: 'evt_9',
      origin: last.origin,
      receivedAtMs: afterTtlMs + 200,
    });

    expect(check(history).violations.map(({ anomaly }) => anomaly)).not.toContain('second-event-id');
  });

  it('follows a duplicate by its key where the event that it was taken for died unpublished', () => {
    const history = healthyHistory();
    at(history.topics.duplicates, 0).eventId = 'evt_died';

    expect(check(history).violations).toEqual([]);
  });

  it('tells of requests that nobody answered in one line', () => {
    const history = healthyHistory();
    const unanswered = { outcome: 'info', status: null, receiptId: null, detail: 'ECONNREFUSED' } as const;
    const silent = [4, 5, 6].map((number) => ({
      ...at(history.sends, 2),
      ...unanswered,
      number,
      traceId: `t${number}`,
    }));
    history.sends.splice(2, 0, ...silent);
    history.topics.duplicates.pop();
    const { text } = check(history);

    expect(text).toContain(
      'requests 4 to 6 (3) of webhook-1 → no answer ECONNREFUSED, no record, until 00:00:00.102000',
    );
  });

  it('tells the whole path of the webhook that a violation is about', () => {
    const history = healthyHistory();
    history.faults.push(faultThroughout);
    history.topics.duplicates.pop();
    const { text } = check(history);

    expect(text).toMatchInlineSnapshot(`
      "  requests sent                      4 = 2xx 4 + refused 0 + no clear answer 0
        requests answered 2xx              4 = on webhooks.received 4
        records on webhooks.received       4 = of a 2xx 4 + of no clear answer 0 + of a refusal 0 + written again 0
        webhooks received (origins)        4 ≠ became an event 2 + duplicate 1 + dead letter 0
        records on events                  2 = event ids 2 + published again 0
        deliveries due (event × endpoint)  4 = fanned out 4
        records on deliveries              4 = deliveries 4 + written again 0
        deliveries                         4 = delivered 4 + dead-lettered 0 + cancelled 0
        arrivals taken by receivers        4 = delivered 4 + repeated 0 + recorded otherwise 0
        arrivals                           4 = taken 4 + refused or unanswered 0
        events in the API                  2 = completed 2 + dead-lettered 0
        duplicates in the API              2 ≠ on duplicates 1
        ended deliveries in the API        4 = deliveries 4
        violations 4
          vanished-record 1: its offset is committed, but it did not become an event, a duplicate or a dead letter
          api-disagrees 1: the API says something else than the topics
          does-not-add-up 2: two counts that must be equal are not

        vanished-record (origin received-0-3): dedup has committed past it
          00:00:00.000000  fault: SIGKILL of dedup, over at 00:01:00.000000
          00:00:00.099000  request 2 of webhook-1 → 202 rcp_2, at 00:00:00.102000
          00:00:00.100000  received rcp_2 at received-0-2
          00:00:00.100000  event evt_1 at events-0-1, from received-0-2
          00:00:00.109000  request 3 of webhook-1 → 202 rcp_3, at 00:00:00.112000
          00:00:00.110000  received rcp_3 at received-0-3
          00:00:00.120000  fanned out to ep_a (dlv_1_a), ep_b (dlv_1_b)
                           dlv_1_a written at deliveries-0-2
                           dlv_1_b written at deliveries-0-3
          00:00:00.130000  ep_a got it (attempt 1) → 200
          00:00:00.130000  ep_b got it (attempt 1) → 200
          00:00:00.131000  dlv_1_a step 1: attempted, delivered → delivered at attempts-0-4
          00:00:00.131000  dlv_1_b step 1: attempted, delivered → delivered at attempts-0-5
          the API: evt_1 completed, 1 duplicates, dlv_1_a delivered after 1, dlv_1_b delivered after 1

        api-disagrees (eventId evt_1): duplicates is 1; the topics say 0
          00:00:00.000000  fault: SIGKILL of dedup, over at 00:01:00.000000
          00:00:00.099000  request 2 of webhook-1 → 202 rcp_2, at 00:00:00.102000
          00:00:00.100000  received rcp_2 at received-0-2
          00:00:00.100000  event evt_1 at events-0-1, from received-0-2
          00:00:00.109000  request 3 of webhook-1 → 202 rcp_3, at 00:00:00.112000
          00:00:00.110000  received rcp_3 at received-0-3
          00:00:00.120000  fanned out to ep_a (dlv_1_a), ep_b (dlv_1_b)
                           dlv_1_a written at deliveries-0-2
                           dlv_1_b written at deliveries-0-3
          00:00:00.130000  ep_a got it (attempt 1) → 200
          00:00:00.130000  ep_b got it (attempt 1) → 200
          00:00:00.131000  dlv_1_a step 1: attempted, delivered → delivered at attempts-0-4
          00:00:00.131000  dlv_1_b step 1: attempted, delivered → delivered at attempts-0-5
          the API: evt_1 completed, 1 duplicates, dlv_1_a delivered after 1, dlv_1_b delivered after 1

        does-not-add-up (row webhooks received (origins)): webhooks received (origins)  4 ≠ became an event 2 + duplicate 1 + dead letter 0"
    `);
  });
});

type Topics = MutableHistory['topics'];

function at<T>(entries: readonly T[], index: number): T {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`the healthy history has no entry ${index} here`);
  return entry;
}

const fanOutOf = (topics: Topics) =>
  at(
    topics['delivery.attempts'].filter((entry) => entry.kind === 'fanned_out'),
    0,
  );

const stepOf = (topics: Topics, index: number) =>
  at(
    topics['delivery.attempts'].filter((entry) => entry.kind !== 'fanned_out'),
    index,
  );

function withoutFanOut({ topics }: MutableHistory): void {
  topics['delivery.attempts'] = topics['delivery.attempts'].filter((entry) => entry.eventId !== 'evt_0');
  topics.deliveries = topics.deliveries.filter((entry) => entry.eventId !== 'evt_0');
}

function letter(facts: { stage: 'dedup' | 'dispatcher'; origin: string }): Topics['dead-letters'][number] {
  return { position: 'dead-letters-0-0', reason: 'retries_exhausted', atMs: Date.UTC(2026, 0, 1), ...facts };
}
