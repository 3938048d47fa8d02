import { hash } from 'node:crypto';
import { keyHashOf } from '../../faults/idempotency/explain.ts';
import type { Call, History, Intent } from '../../faults/idempotency/history.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? Mutable<E>[] : T[K] };
/** A history that a test may change into one that no healthy system would write. */
export type MutableHistory = Omit<Mutable<History>, 'rows'> & { rows: Mutable<History['rows']> };

const intent = (number: number, given: Partial<Intent>): Intent => ({
  number,
  scenario: 's',
  tenant: 's-0',
  key: `s-${number}`,
  path: '/v1/events',
  body: '{}',
  status: 202,
  mark: `s.${number}`,
  eventId: null,
  orderingKey: null,
  payloadSha256: hash('sha256', `${number}`),
  ...given,
});

export const call = (given: Partial<Call>): Call => ({
  intent: 0,
  process: 'api',
  altered: false,
  startedAtMs: 1_000,
  endedAtMs: 1_010,
  status: 202,
  replayed: false,
  answerSha256: 'a0',
  id: 'evt_0',
  detail: '',
  ...given,
});

/** Two events of one ordering key, the first with an identifier; an endpoint; a refusal. Each is asked for twice. */
export function healthyHistory(): MutableHistory {
  const intents = [
    intent(0, { eventId: 'first', orderingKey: 'k' }),
    intent(1, { orderingKey: 'k' }),
    intent(2, { path: '/v1/endpoints', status: 201, payloadSha256: null }),
    intent(3, { path: '/v1/endpoints', status: 400, payloadSha256: null }),
  ];
  const answers = [
    { status: 202, id: 'evt_0', detail: '' },
    { status: 202, id: 'evt_1', detail: '' },
    { status: 201, id: 'ep_2', detail: '' },
    { status: 400, id: null, detail: 'url_not_allowed' },
  ];
  const calls = answers.flatMap((answer, number) => [
    call({ intent: number, ...answer, answerSha256: `a${number}` }),
    call({
      intent: number,
      ...answer,
      answerSha256: `a${number}`,
      replayed: true,
      process: 'api-2',
      startedAtMs: 2_000,
    }),
  ]);
  const row = (n: number) => ({ tenant: 's-0', id: `evt_${n}`, mark: `s.${n}`, orderingKey: 'k', receivedAtMs: 1_005 });
  const entry = (n: number) => ({
    position: `events-1-${n + 8}`,
    id: `evt_${n}`,
    origin: `api:evt_${n}`,
    sourceId: 'api',
    receiptId: `rcp_${n}`,
    dedupKey: '',
    set: null,
    receivedAtMs: 1_005,
    payloadSha256: hash('sha256', `${n}`),
  });
  return {
    intents,
    calls,
    rows: {
      events: [row(0), row(1)],
      endpoints: [{ tenant: 's-0', id: 'ep_2', mark: 's.2' }],
      dedupKeys: [{ tenant: 's-0', eventId: 'evt_0', isCompleted: true }],
      records: intents.map(({ tenant, key }) => ({ tenant, keyHash: keyHashOf(key), isFinal: true })),
      outbox: [],
    },
    published: [entry(0), entry(1)],
    faults: [],
  };
}
