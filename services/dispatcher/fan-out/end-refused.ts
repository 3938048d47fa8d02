/**
 * A delivery whose record Kafka refuses, because it is too large for `deliveries`: it ends before it is on its way. As with any end, the
 * dead letter first, then the record that says so, or its event would stay open for ever.
 */
import { type AttemptRecord, type Delivery, type Topics, traceHeaders } from '#lib/contract';
import { type Clock, nowMicros } from '#lib/runtime';
import { stepOf } from '../publishing/attempt-record.ts';
import type { BuryDelivery } from '../publishing/bury-delivery.ts';
import type { Publish } from '../publishing/publish.ts';

/** @throws AppError stopped when the signal aborts */
export type EndRefused = (delivery: Delivery, signal: AbortSignal) => Promise<void>;

interface Deps {
  publish: Publish;
  buryDelivery: BuryDelivery;
  encodeAttempt(record: AttemptRecord): Buffer;
  topics: Topics;
  clock: Clock;
}

export const refusedByKafka = 'refused_by_kafka';

export function createEndRefused({ publish, buryDelivery, encodeAttempt, topics, clock }: Deps): EndRefused {
  return async (delivery, signal) => {
    const at = nowMicros(clock);
    await buryDelivery(delivery, { reason: refusedByKafka, attempts: 0 }, signal);

    const first = { delivery, order: undefined, step: 1, attempts: 0 };
    const value = encodeAttempt({
      ...stepOf(first),
      kind: 'ended',
      at,
      status: 'dead_lettered',
      detail: refusedByKafka,
    });
    const trace = traceHeaders(delivery.traceparent);
    await publish({ topic: topics['delivery.attempts'], key: delivery.eventId, value, headers: trace }, signal);
  };
}
