import {
  type AttemptRecord,
  attemptToAvro,
  type AvroAttempt,
  type Delivery,
  deadLetterHeaders,
  deliveryHeaders,
  type EventRecord,
  secretsContext,
  type SentRequest,
  topicsOf,
} from '#lib/contract';
import { type Bury, createBuryRecord } from '#lib/dead-letters';
import { type HttpResult, noTiming } from '#lib/http-client';
import type { IncomingRecord, OutgoingRecord, RecordPosition } from '#lib/kafka';
import {
  type Clock,
  type CrashPoints,
  createWaitOut,
  formatMicros,
  noCrashPoints,
  nowMicros,
  silentLogger,
} from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { createEndRefused } from '../../../services/dispatcher/fan-out/end-refused.ts';
import type { EndpointSubscription } from '#lib/fan-out';
import { type Endpoint, endpointOf, type EndpointRow } from '../../../services/dispatcher/model/endpoint.ts';
import type { Job, RecordJob, RowJob } from '../../../services/dispatcher/model/job.ts';
import type { Lag } from '../../../services/dispatcher/model/lag.ts';
import type { DispatcherMetrics } from '../../../services/dispatcher/metrics.ts';
import type { Order } from '../../../services/dispatcher/model/ordering.ts';
import { createBuryDelivery } from '../../../services/dispatcher/publishing/bury-delivery.ts';
import { createOffer, createPublish, type Publish } from '../../../services/dispatcher/publishing/publish.ts';
import type { EventContent } from '../../../services/dispatcher/model/event-content.ts';
import { createWriteSet } from '../../../services/dispatcher/fan-out/write-set.ts';

export const topics = topicsOf('test.');

/** 2026-01-01, when the manual clock starts; in microseconds. */
export const startMicros = Date.UTC(2026, 0, 1) * 1_000;
export const secondMicros = 1_000_000;

export const aSubscription = (overrides: Partial<EndpointSubscription> = {}): EndpointSubscription => ({
  open: true,
  eventTypes: [],
  sourceIds: [],
  filter: null,
  ...overrides,
});

const secretBox = createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 1).toString('base64')}`]));
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const anHourAgo = formatMicros(startMicros - 3_600 * secondMicros);

/** Nothing is set but the URL and a secret. */
const row: EndpointRow = {
  tenant: 'acme',
  id: 'ep_1',
  url: 'https://receiver.test/hook',
  url_by_portal: false,
  event_types: [],
  source_ids: [],
  filter: null,
  history: [],
  settings: {},
  private: null,
  secrets: secretBox.seal(JSON.stringify([{ secret }]), secretsContext('endpoints', 'acme', 'ep_1')),
  revision: 1,
  created_at: anHourAgo,
  begins_at: anHourAgo,
  changed_at: anHourAgo,
  failing_since: null,
  outage_since: null,
  probe_asked_at: null,
  pauses: [],
  disabled_at: null,
  deleted_at: null,
};

/** An endpoint with the defaults of all settings. */
export const anEndpoint = (overrides: Partial<Endpoint> = {}): Endpoint => ({
  ...endpointOf(row, {
    secretBox,
    longestWindowMs: 14 * 24 * 3_600_000,
    longestLifeMs: 29 * 24 * 3_600_000,
    onUnreadable(error) {
      throw error;
    },
  }),
  ...overrides,
});

export const aSentRequest: SentRequest = {
  method: 'POST',
  url: 'https://receiver.test/hook',
  headers: { authorization: '***', 'webhook-id': 'evt_1' },
};

type Answer = Extract<HttpResult, { status: number }>;
type Failure = Extract<HttpResult, { detail: string }>;

export const anAnswer = (status: number, overrides: Partial<Answer> = {}): Answer => ({
  outcome: status < 300 ? 'delivered' : status < 400 ? 'redirect' : status < 500 ? 'http_4xx' : 'http_5xx',
  status,
  retryAfter: undefined,
  headers: [],
  excerpt: Buffer.alloc(0),
  timing: noTiming,
  ...overrides,
});

export const aFailure = (outcome: Failure['outcome'], overrides: Partial<Failure> = {}): Failure => ({
  outcome,
  detail: '',
  timing: noTiming,
  ...overrides,
});

export function anEvent(overrides: Partial<EventRecord> = {}): EventRecord {
  return {
    id: 'evt_1',
    tenant: 'acme',
    source_id: 'src_1',
    event_id: null,
    type: 'order.created',
    receipt_id: 'rcp_1',
    origin: 'test.webhooks.received-0-1',
    received_at: startMicros,
    dedup_key: Buffer.alloc(16),
    content_type: 'application/json',
    content_encoding: null,
    http_headers: {},
    request: null,
    tags: {},
    ordering_key: null,
    payload: Buffer.from('{"order":1}'),
    ...overrides,
  };
}

export function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1',
    tenant: 'acme',
    eventId: 'evt_1',
    eventType: 'order.created',
    endpointId: 'ep_1',
    generation: 0,
    createdAt: startMicros,
    receivedAt: startMicros,
    orderingKey: null,
    contentType: 'application/json',
    contentEncoding: null,
    passedHeaders: [],
    trail: [],
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    payload: Buffer.from('{"order":1}'),
    ...overrides,
  };
}

/** The rows of the event of `aDelivery`, under this id. */
export function contentOf(eventId: string): EventContent {
  const { tenant, eventType, receivedAt, orderingKey, traceparent, contentType, contentEncoding, payload } =
    aDelivery();
  return {
    tenant,
    eventId,
    type: eventType,
    receivedAt,
    orderingKey,
    traceparent,
    contentType,
    contentEncoding,
    payload,
    request: null,
    trail: [],
  };
}

export const never = new AbortController().signal;

/** A record as the consumer hands it out; `isDone` tells whether it may be committed. */
export type FakeRecord = IncomingRecord & { isDone(): boolean };

export function aRecord(fields: Partial<Omit<IncomingRecord, 'done'>> = {}): FakeRecord {
  let done = false;
  const headers = fields.headers ?? {};
  return {
    topic: topics.deliveries,
    partition: 0,
    offset: 0n,
    key: null,
    value: Buffer.alloc(0),
    headers,
    rawHeaders: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
    signal: never,
    ...fields,
    done: () => void (done = true),
    isDone: () => done,
  };
}

export function aDeliveryRecord(delivery: Delivery, offset = 0n, signal: AbortSignal = never): FakeRecord {
  const { payload, ...facts } = delivery;
  const key = Buffer.from(delivery.endpointId);
  return aRecord({ key, value: payload, headers: deliveryHeaders(facts), offset, signal });
}

export function aRecordJob(overrides: Partial<Delivery> = {}, signal: AbortSignal = never): RecordJob {
  const delivery = aDelivery(overrides);
  return {
    from: 'record',
    delivery,
    order: undefined,
    step: 1,
    attempts: 0,
    claims: [aDeliveryRecord(delivery, 0n, signal)],
  };
}

export function aRowJob(overrides: Partial<Delivery> = {}, row: Partial<RowJob> = {}): RowJob {
  const delivery = aDelivery(overrides);
  return {
    from: 'row',
    delivery,
    order: undefined,
    step: 2,
    attempts: 1,
    state: 'retrying',
    readyAt: startMicros,
    signal: never,
    ...row,
  };
}

export const anOrder = (sequence: number, name = 'k1'): Order => ({
  key: Buffer.from(name).toString('hex'),
  sequence: BigInt(sequence),
  partition: 0,
});

export const inOrder = <J extends Job>(job: J, sequence: number, name?: string): J => ({
  ...job,
  order: anOrder(sequence, name),
});

/** Avro's place is taken by JSON: what is encoded is nothing that these tests look at. */
export const encodeAttempt = (record: AttemptRecord): Buffer => Buffer.from(JSON.stringify(attemptToAvro(record)));
export const decodeAttempt = (value: Buffer): AvroAttempt => JSON.parse(value.toString()) as AvroAttempt;

/** The writers of dead letters; each is written whole, as libs/dead-letters does where nothing is refused. */
export function createBurying({ publish, clock, topic = topics['dead-letters'] }: BuryingOptions) {
  const bury: Bury = async (died, facts, signal) => {
    const headers = { ...died.headers, ...deadLetterHeaders({ ...facts, at: nowMicros(clock) }) };
    await publish({ ...died, topic, headers }, signal);
    return 'whole';
  };
  return {
    buryDelivery: createBuryDelivery(bury),
    buryEvent: createBuryRecord({ bury, stage: 'fan-out', log: silentLogger }),
    buryRecord: createBuryRecord({ bury, stage: 'dispatcher', log: silentLogger }),
  };
}

interface BuryingOptions {
  publish: Publish;
  clock: Clock;
  topic?: string;
}

export interface FakeKafka {
  /** All that was handed over, in order. */
  readonly sent: OutgoingRecord[];
  of(topic: string): OutgoingRecord[];
  /** The records of `delivery.attempts`. */
  attempts(): AvroAttempt[];
  send(record: OutgoingRecord): Promise<RecordPosition>;
  /** Called before a record is taken; what it throws or waits for is the broker's answer. */
  answer: (record: OutgoingRecord) => void | Promise<void>;
}

export function createFakeKafka(): FakeKafka {
  const sent: OutgoingRecord[] = [];
  const kafka: FakeKafka = {
    sent,
    of: (topic) => sent.filter((record) => record.topic === topic),
    attempts: () => kafka.of(topics['delivery.attempts']).map(({ value }) => decodeAttempt(value)),
    answer: () => undefined,
    async send(record) {
      await kafka.answer(record);
      sent.push(record);
      return { topic: record.topic, partition: 0, offset: BigInt(sent.length) };
    },
  };
  return kafka;
}

/** Nobody's lag is noted. */
export const noLag: Lag = { taken: () => undefined, delivered: () => undefined };

export const noMetrics: DispatcherMetrics = {
  sendBegan: () => undefined,
  sendEnded: () => undefined,
  attempted: () => undefined,
  delivered: () => undefined,
  retryStarted: () => undefined,
  waiting: () => undefined,
  breakers: () => undefined,
  endpointDisabled: () => undefined,
  replayed: () => undefined,
};

/** The writers of fan-out and replays, over a fake of Kafka. */
export function createWriters(
  kafka: FakeKafka,
  { clock, crashPoints = noCrashPoints, maxDeliveries = 1_000 }: WritersOptions,
) {
  const waitOut = createWaitOut({ clock, log: silentLogger });
  const publish = createPublish({ producer: kafka, waitOut, clock, log: silentLogger });
  const offer = createOffer({ producer: kafka, waitOut, log: silentLogger });
  const burying = createBurying({ publish, clock });
  let tries = 0;
  const newTry = (): string => `try-${(tries += 1)}`;
  const common = { encodeAttempt, topics, clock };
  return {
    waitOut,
    publish,
    offer,
    ...burying,
    writeSet: createWriteSet({ ...common, offer, crashPoints, newTry, maxDeliveries }),
    endRefused: createEndRefused({ ...common, ...burying, publish }),
  };
}

interface WritersOptions {
  clock: Clock;
  crashPoints?: CrashPoints;
  /** In one record of a set. */
  maxDeliveries?: number;
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}
