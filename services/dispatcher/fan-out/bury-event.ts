import { type Clock, nowMicros } from '#lib/clock';
import { type DeadLetterReason, header } from '#lib/contract';
import type { Bury } from '#lib/dead-letters';
import { type IncomingRecord, originOf } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { traceIdOf } from '#lib/telemetry';
import type { DispatcherMetrics } from '../metrics.ts';

/** Writes the dead letter of a record of `events`, which is done by that. @throws AppError stopped when the signal aborts */
export type BuryEvent = (
  record: IncomingRecord,
  error: Error,
  reason: DeadLetterReason,
  signal: AbortSignal,
) => Promise<void>;

interface Deps {
  bury: Bury;
  clock: Clock;
  metrics: Pick<DispatcherMetrics, 'deadLettered'>;
  log: Logger;
}

export const createBuryEvent =
  (deps: Deps): BuryEvent =>
  async (record, error, reason, signal) => {
    const origin = record.headers[header.origin] || originOf(record);
    deps.log.error({
      event: reason === 'malformed_record' ? 'event.unreadable' : 'event.refused',
      origin,
      traceId: traceIdOf(record.headers[header.traceparent]),
      err: error,
    });
    const { key, value, rawHeaders: headers } = record;
    const at = nowMicros(deps.clock);
    await deps.bury({ key, value, headers }, { stage: 'fan-out', reason, attempts: 0, origin, at }, signal);
    deps.metrics.deadLettered('fan-out', reason);
    record.span?.fail(reason);
    record.done();
  };
