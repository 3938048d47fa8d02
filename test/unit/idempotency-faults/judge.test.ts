import { describeFindings } from '../../faults/idempotency/findings.ts';
import { judge, partOf } from '../../faults/idempotency/judge.ts';
import { call, healthyHistory, type MutableHistory } from './healthy-history.ts';

const found = (change: (history: MutableHistory) => void): string[] => {
  const history = healthyHistory();
  change(history);
  return [...new Set(judge(history).map(({ finding }) => finding))].sort();
};
const fault = (atMs: number) => ({ what: 'SIGKILL of api', service: 'api' as const, atMs, settledAtMs: atMs + 1_000 });

test('nothing is found where all is well', () => {
  expect(judge(healthyHistory())).toEqual([]);
});

test.each([
  ['a 500', call({ status: 500, detail: 'internal_error', id: null })],
  ['another 2xx', call({ status: 200, replayed: true })],
  ['a 503 without Retry-After', call({ status: 503, detail: 'unavailable, no Retry-After', id: null })],
  ['a 409 of another kind', call({ status: 409, detail: 'endpoint_disabled', replayed: true, id: null })],
  ['a 422', call({ status: 422, detail: 'idempotency_key_reused', id: null })],
  ['a replay to another body', call({ altered: true, replayed: true })],
])('an answer that there is no reason for is found: %s', (_what, unexpected) => {
  expect(found(({ calls }) => void calls.push(unexpected))).toContain('unexpected-answer');
});

test.each([
  ['that it is in progress', call({ status: 409, detail: 'idempotency_in_progress', id: null })],
  ['that it can’t be told now', call({ status: 503, detail: 'unavailable', id: null })],
  [
    'that the key was another request’s',
    call({ altered: true, status: 422, detail: 'idempotency_key_reused', id: null }),
  ],
  ['nothing, within its patience', call({ status: null, detail: 'ETIMEDOUT', id: null })],
])('a client may hear: %s', (_what, expected) => {
  expect(found(({ calls }) => void calls.push(expected))).toEqual([]);
});

test('a connection may be lost where something was done to the process, and only there', () => {
  const lost = call({ status: null, detail: 'ECONNRESET', id: null, startedAtMs: 90_000, endedAtMs: 90_010 });
  expect(found(({ calls }) => void calls.push(lost))).toEqual(['lost-connection']);
  const excused = (history: MutableHistory): void => {
    history.calls.push(lost);
    history.faults.push(fault(90_000));
  };
  expect(found(excused)).toEqual([]);
});

test('a key without an answer is found, though it was carried out', () => {
  expect(
    found((history) => {
      history.calls = history.calls.filter(({ intent }) => intent !== 1);
      history.calls.push(call({ intent: 1, status: 503, detail: 'unavailable', id: null }));
    }),
  ).toEqual(['unanswered']);
  const unheard = call({ altered: true, status: 503, detail: 'unavailable', id: null });
  expect(found(({ calls }) => void calls.push(unheard))).toEqual(['unanswered']);
});

test('a second fresh answer is found, and one that differs', () => {
  expect(found(({ calls }) => void calls.push(call({})))).toEqual(['second-fresh-answer']);
  expect(found(({ calls }) => void calls.push(call({ answerSha256: 'b', replayed: true })))).toEqual(['other-answer']);
  const again = call({ answerSha256: 'b', id: 'evt_9' });
  expect(found(({ calls }) => void calls.push(again))).toEqual([
    'effect-of-another',
    'other-answer',
    'second-fresh-answer',
  ]);
});

describe('effects', () => {
  test('that are there twice, not at all, or for a refusal are found', () => {
    const [first] = healthyHistory().rows.events;
    expect(found(({ rows }) => void rows.events.push({ ...first!, id: 'evt_9' }))).toContain('second-effect');
    expect(found(({ rows }) => void rows.endpoints.pop())).toEqual(['lost-effect']);
    const refused = { tenant: 's-0', id: 'ep_9', mark: 's.3' };
    expect(found(({ rows }) => void rows.endpoints.push(refused))).toEqual(['second-effect']);
  });

  test('of another tenant, or that nobody asked for, are found', () => {
    expect(found(({ rows }) => void (rows.endpoints[0]!.tenant = 's-1'))).toEqual(['effect-of-another']);
    const unknown = { tenant: 's-0', id: 'ep_9', mark: 's.9' };
    expect(found(({ rows }) => void rows.endpoints.push(unknown))).toEqual(['unknown-effect']);
  });

  test('a dedup key that is missing, not completed, or of no event is found', () => {
    expect(found(({ rows }) => void rows.dedupKeys.pop())).toEqual(['dedup-key-astray']);
    expect(found(({ rows }) => void (rows.dedupKeys[0]!.isCompleted = false))).toEqual(['dedup-key-astray']);
    const surplus = { tenant: 's-0', eventId: 'evt_1', isCompleted: true };
    expect(found(({ rows }) => void rows.dedupKeys.push(surplus))).toEqual(['dedup-key-astray']);
  });

  test('a record that is missing, not final, or of no key is found', () => {
    expect(found(({ rows }) => void rows.records.pop())).toEqual(['record-astray']);
    expect(found(({ rows }) => void (rows.records[0]!.isFinal = false))).toEqual(['record-astray']);
    const surplus = { tenant: 's-1', keyHash: '00', isFinal: true };
    expect(found(({ rows }) => void rows.records.push(surplus))).toEqual(['record-astray']);
  });
});

describe('on the topic', () => {
  test('what is missing, changed, of no event, or left in the outbox is found', () => {
    expect(found(({ published }) => void published.pop())).toEqual(['not-published']);
    expect(found(({ published }) => void (published[0]!.payloadSha256 = ''))).toEqual(['published-changed']);
    const [first] = healthyHistory().published;
    const ghost = { ...first!, id: 'evt_9', position: 'events-1-90' };
    expect(found(({ published }) => void published.push(ghost))).toEqual(['published-without-effect']);
    expect(found(({ rows }) => void rows.outbox.push({ tenant: 's-0', eventId: 'evt_0' }))).toEqual(['left-in-outbox']);
  });

  test('an event may stand twice after a fault, and only then', () => {
    const again = { ...healthyHistory().published[0]!, position: 'events-1-90' };
    const repeat = ({ published }: MutableHistory): void => void published.push(again);
    expect(found(repeat)).toEqual(['published-twice']);
    const repeatAfter =
      (atMs: number) =>
      (history: MutableHistory): void => {
        repeat(history);
        history.faults.push(fault(atMs));
      };
    expect(found(repeatAfter(5_000))).toEqual([]);
    expect(found(repeatAfter(-90_000))).toEqual(['published-twice']);
  });

  test('events of an ordering key that stand in another order, or another partition, are found', () => {
    expect(found(({ published }) => void (published[0]!.position = 'events-1-20'))).toEqual(['out-of-order']);
    expect(found(({ published }) => void (published[1]!.position = 'events-0-20'))).toEqual(['out-of-order']);
    const apart = ({ rows, published }: MutableHistory): void => {
      rows.events[1]!.orderingKey = 'l';
      published[1]!.position = 'events-0-0';
    };
    expect(found(apart)).toEqual([]);
  });
});

test('a finding tells all that is known of its key, in order of time', () => {
  const history = healthyHistory();
  history.calls.push(call({ startedAtMs: 3_000, endedAtMs: 3_010, answerSha256: 'b', id: 'evt_9' }));
  history.faults.push(fault(2_500));
  const text = describeFindings(judge(history), history).find((each) => each.startsWith('second-fresh-answer 1'));
  expect(text?.split('\n').map((line) => line.trim())).toEqual([
    'second-fresh-answer 1: carried out twice, by what the answers say',
    '2 without a mark of replay',
    'key s-0 of s-0, POST /v1/events:',
    '00:00:01.000  asked at api',
    '00:00:01.005  evt_0 is written',
    '00:00:01.010  asked at api at 00:00:01.000 → 202 evt_0 a0',
    '00:00:01.010  asked at api-2 at 00:00:02.000 → 202 replayed evt_0 a0',
    '00:00:02.000  asked at api-2',
    '00:00:02.500  fault: SIGKILL of api, over at 00:00:03.500',
    '00:00:03.000  asked at api',
    '00:00:03.010  asked at api at 00:00:03.000 → 202 evt_9 b',
    'rows: evt_0; records: 1',
    'evt_0 on the topic: events-1-8',
  ]);
});

test('the part of a scenario has its own keys, rows and records alone', () => {
  const history = healthyHistory();
  history.rows.events[1]!.tenant = 't-0';
  history.intents[1] = { ...history.intents[1]!, scenario: 't', tenant: 't-0' };
  const part = partOf(history, 't');
  expect(part.intents.map(({ number }) => number)).toEqual([1]);
  expect(part.calls).toHaveLength(2);
  expect(part.rows.events.map(({ id }) => id)).toEqual(['evt_1']);
  expect(part.published.map(({ id }) => id)).toEqual(['evt_1']);
});
