import type { ErasedEvents } from '#lib/erasure';
import type { PublishEvent, StepBudget } from '#lib/fan-out';
import type { RecordProducer } from '#lib/kafka';
import { type AppError, type Logger, toAppError } from '#lib/runtime';
import { traceIdOf } from '#lib/telemetry';
import { type OutboxEvent, recordOf } from './outbox-event.ts';
import { claimSeconds } from './outbox-table.ts';

/** `published`: everything of it is acknowledged. `erased`: it is sent nowhere. An error: why it is not published, or not known to be. */
export type PublishOutcome = 'published' | 'erased' | AppError;

/** Publishes an event of the outbox, whether it was kept in memory or read again. */
export type PublishOne = (event: OutboxEvent, budget: StepBudget) => Promise<PublishOutcome>;

interface Deps {
  publishEvent: PublishEvent;
  producer: Pick<RecordProducer, 'send'>;
  erased: Pick<ErasedEvents, 'has'>;
  log: Logger;
}

const sendTimeoutMs = 10_000;
/** Time from a claim to its last send: a later record might be acknowledged after the claim's end. */
export const sendsEndAfterMs = claimSeconds * 1_000 - sendTimeoutMs - 5_000;

export function createPublishOne({ publishEvent, producer, erased, log }: Deps): PublishOne {
  const send = (record: Parameters<RecordProducer['send']>[0]) => producer.send(record, sendTimeoutMs);
  return async (event, budget) => {
    const { tenant, id: eventId, traceparent } = event;
    // Consumers would drop it. The mark comes first, then the row is removed: what was read, or kept, may be older than the mark.
    if (erased.has({ tenant, event_id: eventId })) return 'erased';
    try {
      const refusal = await publishEvent(recordOf(event), { traceparent, budget, send });
      if (refusal !== undefined) throw refusal.error;
      if (log.isOn('debug')) log.debug({ event: 'event.published', tenant, eventId, traceId: traceIdOf(traceparent) });
      return 'published';
    } catch (thrown) {
      const error = toAppError(thrown);
      const line = { event: 'event.not_published', tenant, eventId, traceId: traceIdOf(traceparent), err: error };
      // An event whose data fails is our bug: it was accepted, so it is tried once in each claim until the bug is fixed.
      if (error.retryable) log.warn(line);
      else log.error(line);
      return error;
    }
  };
}
