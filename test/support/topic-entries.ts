import { hash } from 'node:crypto';
import {
  type AttemptRecord,
  type EventRecord,
  parseDeadLetter,
  parseDelivery,
  parseDuplicate,
  parseEventSet,
  parseReceivedWebhook,
  type TopicName,
} from '#lib/contract';
import { deliveryIdOf } from '#lib/fan-out';
import { type AttemptCodec, type AvroCodec, type IncomingRecord, originOf } from '#lib/kafka';
import type { FannedOutEntry, StepEntry, TopicContents } from '../faults/checker/history.ts';

type Entry<Name extends TopicName> = TopicContents[Name][number];
type Readers = {
  [Name in TopicName]: (record: IncomingRecord, position: string) => Entry<Name> | Promise<Entry<Name>>;
};

interface Codecs {
  eventCodec: Pick<AvroCodec<EventRecord>, 'decode'>;
  attemptCodec: Pick<AttemptCodec, 'decode'>;
}

/**
 * @param trueTimeOf converts a writer's clock to the true time, just before the record is read
 * @returns a function that turns a topic's record into the checker's entry; it throws if the record violates the contract
 */
export function createEntryReader(
  { eventCodec, attemptCodec }: Codecs,
  trueTimeOf: (timeMs: number) => number = (timeMs) => timeMs,
) {
  const readers: Readers = {
    'webhooks.received': ({ headers, value }, position) => {
      const webhook = sound(parseReceivedWebhook(headers, value), position);
      const { sourceId, receiptId, dedupTtlSeconds, origin, traceparent, receivedAt } = webhook;
      return {
        position,
        origin: origin ?? position,
        sourceId,
        receiptId,
        traceId: traceparent.split('-')[1] ?? '',
        receivedAtMs: receivedAt / 1000,
        dedupTtlSeconds,
        bodySha256: hash('sha256', value),
      };
    },
    events: async ({ headers, value }, position) => {
      const event = await eventCodec.decode(value);
      const given = parseEventSet(headers);
      const set = given && sound(given, position);
      return {
        position,
        id: event.id,
        origin: event.origin,
        sourceId: event.source_id,
        receiptId: event.receipt_id,
        dedupKey: event.dedup_key.toString('hex'),
        receivedAtMs: event.received_at / 1000,
        payloadSha256: hash('sha256', event.payload),
        set:
          set === undefined
            ? null
            : {
                atMs: trueTimeOf(set.at / 1000),
                deliveries: set.endpointIds.map((endpointId) => ({ id: deliveryIdOf(event, endpointId), endpointId })),
              },
      };
    },
    deliveries: ({ headers, value }, position) => {
      const { id, eventId, endpointId, generation } = sound(parseDelivery(headers, value), position);
      return { position, id, eventId, endpointId, generation, payloadSha256: hash('sha256', value) };
    },
    'delivery.attempts': async ({ value }, position) => {
      const entry = attemptEntry(sound(await attemptCodec.decode(value), position), position);
      return { ...entry, atMs: trueTimeOf(entry.atMs) };
    },
    duplicates: ({ value }, position) => {
      const { origin, receipt_id, event_id, event_id_end, dedup_key, changed } = sound(parseDuplicate(value), position);
      const named = { eventId: event_id, eventIdEnd: event_id_end };
      return { position, origin, receiptId: receipt_id, ...named, dedupKey: dedup_key, changed };
    },
    'dead-letters': ({ headers }, position) => {
      const { stage, reason, origin, at } = sound(parseDeadLetter(headers), position);
      return { position, stage, reason, origin, atMs: trueTimeOf(at / 1000) };
    },
  };
  return async <Name extends TopicName>(name: Name, record: IncomingRecord): Promise<Entry<Name>> =>
    readers[name](record, originOf(record));
}

function attemptEntry(record: AttemptRecord, position: string): FannedOutEntry | StepEntry {
  const common = { position, eventId: record.event_id, atMs: record.at / 1000 };
  if (record.kind === 'fanned_out') {
    const deliveries = record.deliveries.map(({ delivery_id, endpoint_id }) => ({
      id: delivery_id,
      endpointId: endpoint_id,
    }));
    return { ...common, kind: record.kind, generation: record.generation, deliveries, chunk: record.chunk };
  }
  const { kind, delivery_id, endpoint_id, step, attempt, status } = record;
  const outcome = kind === 'attempted' ? record.outcome : null;
  return { ...common, kind, deliveryId: delivery_id, endpointId: endpoint_id, step, attempt, status, outcome };
}

function sound<T extends object>(parsed: T | { malformed: string }, position: string): T {
  if ('malformed' in parsed) throw new Error(`${position}: ${parsed.malformed}`);
  return parsed;
}
