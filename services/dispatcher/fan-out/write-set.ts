/**
 * Writes the set of an event's deliveries to `delivery.attempts`: as one record where it fits one, else in chunks, each acknowledged before
 * the next. All of them name one try, which nobody else has: a repetition after a crash may cut other chunks. The set counts once
 * one try is whole, so what a crash leaves behind counts for nothing.
 *
 * Where Kafka refuses a chunk, the topic's limit is smaller than ours: the set is begun anew, in chunks of half the size, down to one
 * delivery. Only a record of one delivery, or of none, is refused for good.
 */
import { type AttemptRecord, type FannedOutDelivery, type SetChunk, type Topics, traceHeaders } from '#lib/contract';
import { type AppError, type Clock, type CrashPoints, nowMicros } from '#lib/runtime';
import type { Offer } from '../publishing/publish.ts';

/** The deliveries of an event that a fan-out, or a replay, adds in one generation. */
export interface DeliverySet {
  tenant: string;
  eventId: string;
  generation: number;
  traceparent: string | undefined;
  deliveries: readonly FannedOutDelivery[];
}

/** Resolves when all of it is acknowledged, or with the error where Kafka refuses it. @throws AppError stopped when the signal aborts */
export type WriteSet = (set: DeliverySet, signal: AbortSignal) => Promise<AppError | undefined>;

interface Deps {
  offer: Offer;
  encodeAttempt(record: AttemptRecord): Buffer;
  topics: Topics;
  clock: Clock;
  crashPoints: CrashPoints;
  /** Names a try: no two are the same, whichever process they are of. */
  newTry(): string;
  /** Deliveries that one record names at the most. */
  maxDeliveries: number;
}

/** Far below what a topic takes by default (1 MiB), and still two thousand deliveries. */
const maxChunkBytes = 128 * 1024;
/** Bytes of one delivery's ids in Avro, beside their characters. */
const lengthBytes = 4;

export function createWriteSet(deps: Deps): WriteSet {
  const { offer, topics, clock, crashPoints } = deps;

  function write(set: DeliverySet, deliveries: FannedOutDelivery[], chunk: SetChunk | null, signal: AbortSignal) {
    const value = deps.encodeAttempt({
      kind: 'fanned_out',
      tenant: set.tenant,
      event_id: set.eventId,
      generation: set.generation,
      at: nowMicros(clock),
      deliveries,
      chunk,
    });
    const headers = traceHeaders(set.traceparent);
    return offer({ topic: topics['delivery.attempts'], key: set.eventId, value, headers }, signal);
  }

  /** One try. @returns the size of the chunk that was refused, and why */
  async function writeAll(set: DeliverySet, chunks: readonly FannedOutDelivery[][], signal: AbortSignal) {
    const name = deps.newTry();
    const count = chunks.length;
    for (const [index, deliveries] of chunks.entries()) {
      if (index > 0) crashPoints.reach('fan-out.between-chunks');
      const refused = await write(set, deliveries, count === 1 ? null : { try: name, index, count }, signal);
      if (refused !== undefined) return { refused, size: deliveries.length };
    }
    return undefined;
  }

  return async (set, signal) => {
    for (let most = deps.maxDeliveries; ;) {
      const refusal = await writeAll(set, cut(set.deliveries, most), signal);
      if (refusal === undefined) return undefined;
      if (refusal.size <= 1) return refusal.refused;
      most = Math.ceil(refusal.size / 2);
    }
  };
}

/** All of them, in order; of none, one chunk without any. */
function cut(deliveries: readonly FannedOutDelivery[], maxDeliveries: number): FannedOutDelivery[][] {
  let chunk: FannedOutDelivery[] = [];
  let bytes = 0;
  const chunks = [chunk];
  for (const delivery of deliveries) {
    const more = delivery.delivery_id.length + delivery.endpoint_id.length + lengthBytes;
    if (chunk.length > 0 && (chunk.length >= maxDeliveries || bytes + more > maxChunkBytes)) {
      chunk = [];
      chunks.push(chunk);
      bytes = 0;
    }
    chunk.push(delivery);
    bytes += more;
  }
  return chunks;
}
