import { topicNames } from '#lib/contract';
import type {
  ApiEvent,
  Arrival,
  DeliveryEntry,
  EventEntry,
  FannedOutEntry,
  History,
  ReceivedEntry,
  Send,
  StepEntry,
} from '../../faults/checker/history.ts';

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;
export type MutableHistory = Mutable<History>;

const noEntries = Object.fromEntries(topicNames.map((name) => [name, []])) as unknown as MutableHistory['topics'];
const startMs = Date.UTC(2026, 0, 1);
const endpointIds = ['ep_a', 'ep_b'];

/**
 * Two webhooks, each sent twice through one source to two endpoints, and all went well. Webhook n: requests 2n and 2n + 1, receipts
 * `rcp_<request>`, records `received-0-<request>`, event `evt_<n>`, deliveries `dlv_<n>_a` and `dlv_<n>_b`.
 */
export function healthyHistory(): MutableHistory {
  const webhooks = [0, 1].map(webhook);
  return structuredClone<MutableHistory>({
    sends: webhooks.flatMap(({ sends }) => sends),
    publishes: [],
    pollers: [],
    changes: [],
    endpoints: endpointIds.map((id) => ({
      id,
      createdAtMs: startMs - 60_000,
      disabledAtMs: null,
      sourceIds: ['src_1'],
      observed: true,
    })),
    arrivals: webhooks.flatMap(({ arrivals }) => arrivals),
    faults: [],
    topics: {
      ...noEntries,
      'webhooks.received': webhooks.flatMap(({ received }) => received),
      events: webhooks.map(({ event }) => event),
      deliveries: webhooks.flatMap(({ deliveries }) => deliveries),
      'delivery.attempts': webhooks.flatMap(({ outcomes }) => outcomes),
      duplicates: webhooks.map(({ duplicate }) => duplicate),
    },
    committed: {
      dedup: { 'received-0': 4 },
      'fan-out': { 'events-0': 2 },
      dispatcher: { 'deliveries-0': 4 },
    },
    api: webhooks.map(({ api }) => api),
    tables: {
      receipts: webhooks.flatMap(({ event, duplicate }) => [
        { origin: event.origin, receiptId: event.receiptId, eventId: event.id, duplicate: false },
        { origin: duplicate.origin, receiptId: duplicate.receiptId, eventId: event.id, duplicate: true },
      ]),
      dedupKeys: webhooks.map(({ event }) => ({ origin: event.origin, eventId: event.id, completed: true })),
      waiting: [],
    },
  });
}

/** The same of a run without a dispatcher. */
export function receivingHistory(): MutableHistory {
  const history = healthyHistory();
  Object.assign(history, { endpoints: [], arrivals: [] });
  Object.assign(history.topics, { deliveries: [], 'delivery.attempts': [] });
  const counts = { pending: 0, retrying: 0, delivered: 0, dead_lettered: 0, cancelled: 0 };
  for (const event of history.api) Object.assign(event, { status: 'received', counts, deliveries: [] });
  return history;
}

/** A third event, that a client has published under the key `key-p`, asked twice, as `evt_p`; to no endpoint. */
export function addPublish({ publishes, topics, committed, api, tables }: MutableHistory): void {
  const atMs = startMs + 500;
  const [position, origin, eventId, payloadSha256] = ['events-0-2', 'api:evt_p', 'evt_p', 'sha-p'];
  const call = { status: 202, replayed: false, answerSha256: 'answer-p', eventId, detail: '' };
  publishes.push({
    key: 'key-p',
    payloadSha256,
    calls: [
      { ...call, startedAtMs: atMs, endedAtMs: atMs + 2 },
      { ...call, startedAtMs: atMs + 10, endedAtMs: atMs + 12, replayed: true },
    ],
  });
  const common = { receiptId: 'rcp_p', receivedAtMs: atMs, payloadSha256 };
  topics.events.push({ position, id: eventId, origin, sourceId: 'api', dedupKey: 'dedup-p', set: null, ...common });
  topics['delivery.attempts'].push({
    kind: 'fanned_out',
    position: 'attempts-0-9',
    eventId,
    generation: 0,
    atMs: atMs + 20,
    deliveries: [],
    chunk: null,
  });
  committed['fan-out']['events-0'] = 3;
  const counts = { pending: 0, retrying: 0, delivered: 0, dead_lettered: 0, cancelled: 0 };
  const updatedAt = '2026-01-01T00:00:03.000000Z';
  api.push({
    id: eventId,
    receiptId: 'rcp_p',
    status: 'completed',
    updatedAt,
    duplicates: 0,
    duplicatesChanged: 0,
    counts,
    deliveries: [],
  });
  tables.receipts.push({ origin, receiptId: 'rcp_p', eventId, duplicate: false });
}

/** A poller that was shown all there was to see: `evt_0` in its second state and its third, `evt_1` in its only one. */
export function addPoller({ pollers, changes }: MutableHistory): void {
  const change = (eventId: string, second: number) => ({
    eventId,
    updatedAt: `2026-01-01T00:00:0${second}.000000Z`,
    atMs: startMs + second * 1_000,
  });
  changes.push(change('evt_0', 1), change('evt_0', 2), change('evt_1', 3), change('evt_0', 4));
  const items = changes.slice(1).map(({ eventId, updatedAt }) => ({ eventId, updatedAt }));
  pollers.push({
    name: 'by time',
    items,
    // Its first look came when evt_0 had changed twice.
    answers: [
      { endedAtMs: startMs + 2_500, items: 1, position: at(items, 0).updatedAt },
      { endedAtMs: startMs + 4_500, items: 3, position: at(items, 2).updatedAt },
    ],
    failed: 0,
    position: at(items, 2).updatedAt,
  });
}

/** A fault that covers the whole of the history. */
export const faultThroughout = { what: 'SIGKILL of dedup', atMs: startMs, settledAtMs: startMs + 60_000 };

export function at<T>(entries: readonly T[], index: number): T {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`the healthy history has no entry ${index} here`);
  return entry;
}

/** A record of a delivery's outcome: 0 is the first of `dlv_0_a`. */
export const stepOf = (topics: MutableHistory['topics'], index: number) =>
  at(
    topics['delivery.attempts'].filter((entry) => entry.kind !== 'fanned_out'),
    index,
  );

function webhook(n: number) {
  const id = `evt_${n}`;
  const bodySha256 = `sha-${n}`;
  const atMs = startMs + n * 100;
  const requests = [2 * n, 2 * n + 1];
  const received: Mutable<ReceivedEntry>[] = requests.map((request, index) => ({
    position: `received-0-${request}`,
    origin: `received-0-${request}`,
    sourceId: 'src_1',
    receiptId: `rcp_${request}`,
    traceId: `trace-${request}`,
    receivedAtMs: atMs + index * 10,
    dedupTtlSeconds: 259_200,
    bodySha256,
  }));
  const deliveries: DeliveryEntry[] = endpointIds.map((endpointId, index) => ({
    position: `deliveries-0-${2 * n + index}`,
    id: `dlv_${n}_${endpointId.at(-1)}`,
    eventId: id,
    endpointId,
    generation: 0,
    payloadSha256: bodySha256,
  }));
  const event: Mutable<EventEntry> = {
    position: `events-0-${n}`,
    id,
    origin: `received-0-${2 * n}`,
    sourceId: 'src_1',
    receiptId: `rcp_${2 * n}`,
    dedupKey: `key-${n}`,
    receivedAtMs: atMs,
    payloadSha256: bodySha256,
    set: null,
  };
  const outcomes: Mutable<FannedOutEntry | StepEntry>[] = [
    {
      kind: 'fanned_out',
      position: `attempts-0-${3 * n}`,
      eventId: id,
      generation: 0,
      atMs: atMs + 20,
      deliveries: deliveries.map((delivery) => ({ id: delivery.id, endpointId: delivery.endpointId })),
      chunk: null,
    },
    ...deliveries.map((delivery, index): StepEntry => ({
      kind: 'attempted',
      position: `attempts-0-${3 * n + 1 + index}`,
      eventId: id,
      deliveryId: delivery.id,
      endpointId: delivery.endpointId,
      atMs: atMs + 31,
      step: 1,
      attempt: 1,
      status: 'delivered',
      outcome: 'delivered',
    })),
  ];
  return {
    sends: requests.map((request, index): Send => ({
      number: request,
      sourceId: 'src_1',
      identity: `webhook-${n}`,
      traceId: `trace-${request}`,
      bodySha256,
      startedAtMs: atMs + index * 10 - 1,
      endedAtMs: atMs + index * 10 + 2,
      outcome: 'ok',
      status: 202,
      receiptId: `rcp_${request}`,
      detail: '',
    })),
    received,
    event,
    duplicate: {
      position: `duplicates-0-${n}`,
      origin: `received-0-${2 * n + 1}`,
      receiptId: `rcp_${2 * n + 1}`,
      eventId: id,
      eventIdEnd: id.slice(-2),
      dedupKey: event.dedupKey,
      changed: false,
    },
    deliveries,
    outcomes,
    arrivals: deliveries.map((delivery): Arrival => ({
      endpointId: delivery.endpointId,
      eventId: id,
      attempt: 1,
      signedAtMs: 1_000 * Math.floor((atMs + 30) / 1_000),
      atMs: atMs + 30,
      bodySha256,
      answered: 200,
      answeredAtMs: atMs + 31,
      signatures: { stripe: true, standardwebhooks: true },
    })),
    api: {
      id,
      receiptId: event.receiptId,
      status: 'completed',
      updatedAt: `2026-01-01T00:00:0${n}.000000Z`,
      duplicates: 1,
      duplicatesChanged: 0,
      counts: { pending: 0, retrying: 0, delivered: 2, dead_lettered: 0, cancelled: 0 },
      deliveries: deliveries.map((delivery) => ({
        id: delivery.id,
        endpointId: delivery.endpointId,
        status: 'delivered',
        attempts: 1,
      })),
    } satisfies ApiEvent,
  };
}
