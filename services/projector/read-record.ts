import {
  type AttemptRecord,
  type EventRecord,
  type EventSet,
  type FannedOut,
  header,
  isInstant,
  noTenant,
  packHeaders,
  parseDeadLetter,
  parseDelivery,
  parseDuplicate,
  parseEventSet,
  problemOfEvent,
  type TopicName,
  type Topics,
} from '#lib/contract';
import { deliveryIdOf } from '#lib/fan-out';
import type { IncomingRecord } from '#lib/kafka';
import { isAppError } from '#lib/runtime';
import type { Fact, FanOut } from './facts.ts';

/** The topics that the projector reads. */
export const projectedTopics = ['events', 'delivery.attempts', 'duplicates', 'dead-letters'] as const;
type ProjectedTopic = (typeof projectedTopics)[number] & TopicName;

export type Reading = { fact: Fact } | { malformed: string };

export type RecordReader = (record: IncomingRecord) => Promise<Reading>;

interface Deps {
  topics: Topics;
  decodeEvent(bytes: Buffer): Promise<EventRecord>;
  decodeAttempt(bytes: Buffer): Promise<AttemptRecord | { malformed: string }>;
}

/** @returns a reader that throws only what is worth another try (the schema registry is away) or a bug */
export function createRecordReader({ topics, decodeEvent, decodeAttempt }: Deps): RecordReader {
  const readers: Record<ProjectedTopic, RecordReader> = {
    events: async (record) => readEvent(await decodeEvent(record.value), record),
    'delivery.attempts': async (record) => readAttempt(await decodeAttempt(record.value)),
    duplicates: async (record) => readDuplicate(record),
    'dead-letters': async (record) => readDeadLetter(record),
  };
  const readerOf = new Map(projectedTopics.map((name) => [topics[name], readers[name]]));

  return async (record) => {
    const read = readerOf.get(record.topic);
    if (read === undefined) return { malformed: `nothing is projected from ${record.topic}` };
    try {
      return await read(record);
    } catch (error) {
      if (isAppError(error, 'data_invalid')) return { malformed: error.message };
      throw error;
    }
  };
}

function readEvent(event: EventRecord, { headers }: IncomingRecord): Reading {
  const problem = problemOfEvent(event);
  if (problem !== undefined) return { malformed: problem };
  const set = parseEventSet(headers);
  if (set !== undefined && 'malformed' in set) return set;
  const fanOut = set === undefined ? null : fanOutOf(event, set);
  return { fact: { kind: 'event', event, traceparent: headers[header.traceparent] ?? '', fanOut } };
}

const fanOutOf = (event: EventRecord, { at, endpointIds }: EventSet): FanOut => ({
  tenant: event.tenant,
  event_id: event.id,
  generation: 0,
  at,
  deliveries: endpointIds.map((id) => ({ delivery_id: deliveryIdOf(event, id), endpoint_id: id })),
  chunk: null,
});

function readAttempt(record: AttemptRecord | { malformed: string }): Reading {
  if ('malformed' in record) return record;
  return { fact: record.kind === 'fanned_out' ? fanOutFact(record) : { kind: 'outcome', outcome: record } };
}

const fanOutFact = ({ kind: _kind, ...fanOut }: FannedOut): Fact => ({ kind: 'fan-out', fanOut });

function readDuplicate(record: IncomingRecord): Reading {
  const duplicate = parseDuplicate(record.value);
  if ('malformed' in duplicate) return duplicate;
  if (!isInstant(duplicate.received_at)) return { malformed: 'received_at is not a time in microseconds' };
  if (!isHex(duplicate.dedup_key)) return { malformed: 'dedup_key is not in hex' };
  if (!isHex(duplicate.body_hash)) return { malformed: 'body_hash is not in hex' };
  return { fact: { kind: 'duplicate', duplicate } };
}

function readDeadLetter({ key, value, headers, rawHeaders, partition, offset }: IncomingRecord): Reading {
  const facts = parseDeadLetter(headers);
  if ('malformed' in facts) return facts;
  const named = (name: string): string | null => headers[name] || null;
  const isDelivery = facts.stage === 'dispatcher' && !('malformed' in parseDelivery(headers, value));
  return {
    fact: {
      kind: 'dead_letter',
      deadLetter: {
        ...facts,
        tenant: headers[header.tenant] || noTenant,
        event_id: named(header.eventId),
        delivery_id: named(header.deliveryId),
        endpoint_id: named(header.endpointId),
        source_id: named(header.sourceId),
        event_type: named(header.eventType),
        key,
        headers: packHeaders(rawHeaders),
        value: isDelivery ? null : value,
        // A delivery's bytes are its event's, and those are whole.
        shortenedFrom: isDelivery ? null : facts.shortenedFrom,
        partition,
        offset,
      },
    },
  };
}

const isHex = (text: string): boolean => /^([0-9a-f]{2})+$/.test(text);
