import { anomalies } from '../../faults/checker/anomalies.ts';
import { check } from '../../faults/checker/check.ts';
import { brokenHistories } from './broken-histories.ts';
import {
  addPoller,
  addPublish,
  at,
  faultThroughout,
  healthyHistory,
  receivingHistory,
  stepOf,
} from './healthy-history.ts';

describe('the checker', () => {
  it('finds nothing in a history in which all went well, and its counts add up', () => {
    const { violations, text } = check(healthyHistory());

    expect(violations).toEqual([]);
    expect(text).toContain('webhooks received (origins)        4 = became an event 2 + duplicate 2 + dead letter 0');
    expect(text).not.toContain('≠');
  });

  it('finds nothing wrong with an event that a client published, and counts it', () => {
    const history = healthyHistory();
    addPublish(history);
    const { violations, text } = check(history);

    expect(violations).toEqual([]);
    expect(text).toContain('1 = keys that have one 1 + second effects 0');
  });

  it('finds nothing wrong with a poller that comes when an event has changed again', () => {
    const history = healthyHistory();
    addPoller(history);

    expect(check(history).violations).toEqual([]);
  });

  it('takes a set in chunks for one, by the try that is whole', () => {
    const history = healthyHistory();
    const attempts = history.topics['delivery.attempts'];
    const whole = attempts.find((entry) => entry.kind === 'fanned_out');
    if (whole?.kind !== 'fanned_out') throw new Error('a healthy history has sets');
    const [first, ...others] = whole.deliveries;
    const chunk = (name: string, index: number, deliveries: (typeof first)[]) => ({
      ...whole,
      position: `${whole.position}-${name}-${index}`,
      chunk: { try: name, index, count: 2 },
      deliveries: deliveries.flatMap((each) => each ?? []),
    });
    attempts.splice(
      attempts.indexOf(whole),
      1,
      chunk('died', 0, [first]),
      chunk('whole', 0, [first]),
      chunk('whole', 1, others),
    );
    expect(check(history).violations).toEqual([]);
  });

  it.each(brokenHistories)('says %s of %s', (anomaly, _title, breakIt) => {
    const history = healthyHistory();
    breakIt(history);

    const found = [...check(history).violations, ...check(history, 'receiving').violations];
    expect(found.map((violation) => violation.anomaly)).toContain(anomaly);
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

  it('finds nothing wrong with other bytes that dedup took for the same by the event’s four digits, and the API counts as changed', () => {
    const history = healthyHistory();
    at(history.topics['webhooks.received'], 1).bodySha256 = 'sha-other';
    at(history.sends, 1).bodySha256 = 'sha-other';
    Object.assign(at(history.topics.duplicates, 0), { eventId: null, changed: false });
    at(history.api, 0).duplicatesChanged = 1;

    expect(check(history).violations).toEqual([]);
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

  it('takes either set of an event whose receiver had a clock ahead, as far as its endpoints changed in between', () => {
    const aheadMs = 400_000;
    const closedAfterMs = (ms: number) => {
      const history = healthyHistory();
      const event = at(history.topics.events, 0);
      at(history.endpoints, 0).disabledAtMs = event.receivedAtMs + ms;
      event.receivedAtMs += aheadMs;
      return check(history).violations.map(({ anomaly }) => anomaly);
    };
    expect(closedAfterMs(100_000)).toEqual([]);
    // Closed when it was sent: with any clock, it is not one of its endpoints.
    expect(closedAfterMs(-100_000)).toContain('phantom-delivery');
  });

  it.each([
    ['', 0],
    [', also told by a clock that was moved', 272_000],
  ])('lets the higher step say where a delivery stands, until one ends it, in whichever step%s', (_, movedByMs) => {
    const history = healthyHistory();
    history.faults.push(faultThroughout);
    const { topics, arrivals } = history;
    const first = stepOf(topics, 0);
    // Killed after the outcome of step 1: the record is sent again while its row is sent as step 2.
    topics['delivery.attempts'].push({ ...first, position: 'attempts-0-9', atMs: first.atMs + movedByMs });
    topics['delivery.attempts'].push({ ...first, position: 'attempts-0-10', step: 2, attempt: 2 });
    Object.assign(first, { status: 'retrying', outcome: 'http_5xx' });
    arrivals.push({ ...at(arrivals, 0), attempt: 2 });

    expect(check(history).violations).toEqual([]);
  });

  it('lets a request without an answer pass where the ingress was killed meanwhile', () => {
    const history = receivingHistory();
    Object.assign(at(history.sends, 0), { outcome: 'info', status: null, receiptId: null, detail: 'ECONNRESET' });
    history.faults.push({ ...faultThroughout, service: 'ingress' });

    expect(check(history, 'receiving').violations).toEqual([]);
  });

  it('lets a refusal come late where the ingress stood still meanwhile, alone or with all others of its process', () => {
    const history = receivingHistory();
    const { endedAtMs } = at(history.sends, 0);
    const late = { outcome: 'info', status: 503, receiptId: null, startedAtMs: endedAtMs - 4_000 } as const;
    Object.assign(at(history.sends, 0), late);
    const found = (): string[] => check(history, 'receiving').violations.map(({ anomaly }) => anomaly);
    history.faults.push({ ...faultThroughout, what: 'SIGSTOP of dedup', service: 'dedup' });
    expect(found()).toEqual(['late-answer']);
    history.faults.push({ ...faultThroughout, what: 'SIGSTOP of dedup', service: 'ingress' });
    expect(found()).toEqual([]);
  });

  it('adds up a run that ends at the events, and misses nothing where nobody fans out', () => {
    const { violations, text } = check(receivingHistory(), 'receiving');

    expect(violations).toEqual([]);
    expect(text).toContain('events in the API             2 = received 2');
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

  it('follows a duplicate by its key and the end of the event’s id where dedup knew no more', () => {
    const history = healthyHistory();
    at(history.topics.duplicates, 0).eventId = null;

    expect(check(history).violations).toEqual([]);
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
