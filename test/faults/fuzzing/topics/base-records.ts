/** Records as the services write them, each with ids of its own: what the forged ones are made of, and the sound ones between them. */
import { randomBytes } from 'node:crypto';
import {
  type AvroAttempt,
  deadLetterHeaders,
  deliveryHeaders,
  type DuplicateRecord,
  duplicateToJson,
  type EventRecord,
  header,
  receivedWebhookHeaders,
  type TopicName,
} from '#lib/contract';
import { createId } from '#lib/ids';
import { newTraceparent } from '#lib/telemetry';
import type { ForgedRecord } from './forged-record.ts';
import { noSend } from '../../../support/no-send.ts';

export interface Codecs {
  encodeEvent(event: EventRecord): Buffer;
  encodeAttempt(attempt: AvroAttempt): Buffer;
}

export interface BaseOptions extends Codecs {
  tenant: string;
  /** Existing endpoints of the tenant. */
  endpointIds: readonly string[];
  /** The event that duplicates are of. */
  event: { id: string; dedupKey: string; sourceId: string };
  pick<T>(values: readonly T[]): T;
}

export interface BaseRecords {
  /** To be made something else of. */
  of(topic: TopicName): ForgedRecord;
  /** As it is. @param eventId of a delivery: the event that there is */
  control(topic: TopicName, eventId?: string): ForgedRecord;
  event(given?: Partial<EventRecord>): EventRecord;
  attempt(given?: Partial<AvroAttempt>): AvroAttempt;
  duplicate(given?: Partial<DuplicateRecord>): DuplicateRecord;
}

/** A forged record may fail and be tried again for days, with its key waiting behind it: sound records have a key of their own. */
const keysOfForged = [null, 'a', 'b'];
const keysOfSound = [null, 'sound'];

const micros = (): number => Date.now() * 1_000;

export function createBaseRecords({ tenant, endpointIds, event: known, pick, ...codecs }: BaseOptions): BaseRecords {
  let orderingKeys = keysOfForged;
  const newId = (prefix: 'evt' | 'rcp' | 'dlv'): string => createId(prefix, Date.now());

  const event = (given: Partial<EventRecord> = {}): EventRecord => {
    const id = newId('evt');
    return {
      id,
      tenant,
      source_id: 'src_fuzzing',
      event_id: null,
      type: 'fuzzed.event',
      receipt_id: newId('rcp'),
      origin: `fuzzing-0-${id}`,
      received_at: micros(),
      dedup_key: randomBytes(16),
      content_type: 'application/json',
      content_encoding: null,
      http_headers: { 'x-a': 'b' },
      ordering_key: pick(orderingKeys),
      payload: Buffer.from(JSON.stringify({ id })),
      ...given,
    };
  };
  const attempt = (given: Partial<AvroAttempt> = {}): AvroAttempt => ({
    ...noSend,
    kind: 'attempted',
    tenant,
    event_id: newId('evt'),
    generation: 0,
    at: micros(),
    deliveries: [],
    delivery_id: newId('dlv'),
    endpoint_id: pick(endpointIds),
    step: 1,
    attempt: 1,
    status: 'delivered',
    created_at: micros(),
    outcome: 'delivered',
    http_status: 200,
    duration_ms: 1.5,
    detail: null,
    response_excerpt: Buffer.from('ok'),
    next_attempt_at: null,
    ordering_key: null,
    request: { method: 'POST', url: 'http://127.0.0.1/', headers: { 'webhook-id': 'a' } },
    response_headers: { server: 'a' },
    timing: { dns_ms: null, connect_ms: 1, tls_ms: null, first_byte_ms: 1, body_ms: 0 },
    chunk: null,
    ...given,
  });
  const fannedOut = (): AvroAttempt => ({
    ...attempt(),
    ...{ kind: 'fanned_out', deliveries: [{ delivery_id: newId('dlv'), endpoint_id: pick(endpointIds) }] },
    ...{ delivery_id: null, endpoint_id: null, step: null, attempt: null, status: null, created_at: null },
    ...{ outcome: null, http_status: null, duration_ms: null, response_excerpt: null },
    ...{ request: null, response_headers: null, timing: null },
    chunk: pick([null, { try: newId('evt'), index: 1, count: 3 }]),
  });
  const duplicate = (given: Partial<DuplicateRecord> = {}): DuplicateRecord => ({
    tenant,
    source_id: known.sourceId,
    receipt_id: newId('rcp'),
    origin: `fuzzing-0-${newId('rcp')}`,
    received_at: micros(),
    dedup_key: known.dedupKey,
    event_id: known.id,
    event_id_end: known.id.slice(-2),
    body_hash: randomBytes(8).toString('hex'),
    changed: true,
    ...given,
  });

  const deliveryRecord = (eventId: string) => {
    const endpointId = pick(endpointIds);
    return {
      key: Buffer.from(endpointId),
      value: Buffer.from(JSON.stringify({ id: eventId })),
      headers: asBuffers(
        deliveryHeaders({
          id: newId('dlv'),
          tenant,
          eventId,
          eventType: 'fuzzed.event',
          endpointId,
          generation: 0,
          createdAt: micros(),
          receivedAt: micros(),
          orderingKey: pick(orderingKeys),
          contentType: 'application/json',
          contentEncoding: null,
          traceparent: newTraceparent(undefined),
        }),
      ),
    };
  };
  const duplicateRecord = (given: Partial<DuplicateRecord> = {}) => {
    const made = duplicate(given);
    return {
      key: Buffer.from(made.dedup_key),
      value: duplicateToJson(made),
      headers: asBuffers({ [header.traceparent]: newTraceparent(undefined) }),
    };
  };

  const makers: Record<TopicName, () => Pick<ForgedRecord, 'key' | 'value' | 'headers'>> = {
    'webhooks.received': () => ({
      key: null,
      value: Buffer.from(JSON.stringify({ id: newId('rcp'), type: 'fuzzed.event' })),
      headers: asBuffers(
        receivedWebhookHeaders({
          tenant,
          sourceId: 'src_fuzzing',
          receiptId: newId('rcp'),
          receivedAt: micros(),
          contentType: 'application/json',
          contentEncoding: null,
          httpHeaders: { 'x-a': 'b' },
          identifyBy: [{ pointer: '/id' }],
          typeBy: [{ pointer: '/type' }],
          dedupTtlSeconds: 3_600,
          orderingKey: null,
          traceparent: newTraceparent(undefined),
          origin: null,
        }),
      ),
    }),
    events: () => {
      const made = event();
      return {
        key: Buffer.from(made.ordering_key ?? made.id),
        value: codecs.encodeEvent(made),
        headers: asBuffers({ [header.traceparent]: newTraceparent(undefined) }),
      };
    },
    deliveries: () => deliveryRecord(newId('evt')),
    'delivery.attempts': () => {
      const made = pick([attempt, fannedOut])();
      return { key: Buffer.from(made.event_id), value: codecs.encodeAttempt(made), headers: {} };
    },
    // A duplicate of an event that does not exist: only the sound ones count.
    duplicates: () => duplicateRecord({ event_id: newId('evt'), dedup_key: randomBytes(16).toString('hex') }),
    'dead-letters': () => ({
      key: Buffer.from('a'),
      value: Buffer.from('what died'),
      headers: asBuffers({
        [header.tenant]: tenant,
        [header.eventId]: newId('evt'),
        ...deadLetterHeaders({
          stage: pick(['dedup', 'fan-out', 'dispatcher', 'projector']),
          reason: 'malformed_record',
          attempts: 1,
          origin: `fuzzing-0-${newId('rcp')}`,
          at: micros(),
        }),
      }),
    }),
  };
  return {
    of: (topic) => ({ topic, kind: 'base', ending: 'processed', ...makers[topic]() }),
    control(topic, eventId) {
      orderingKeys = keysOfSound;
      const made =
        topic === 'duplicates' ? duplicateRecord() : eventId === undefined ? makers[topic]() : deliveryRecord(eventId);
      orderingKeys = keysOfForged;
      return { topic, kind: 'control', ending: 'processed', ...made };
    },
    event,
    attempt,
    duplicate,
  };
}

const asBuffers = (headers: Readonly<Record<string, string>>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]));
