import { type DeadLetterReason, type DeadLetterStage, header } from '#lib/contract';
import { type IncomingRecord, originOf, type OutgoingRecord } from '#lib/kafka';
import type { Logger } from '#lib/runtime';
import { traceIdOf } from '#lib/telemetry';
import type { Bury } from './bury.ts';

/** Why a record is given up. */
interface GivenUp {
  reason: DeadLetterReason;
  /** Times it was tried. */
  attempts: number;
  /** Headers by which the dead letter is looked up, for a record that lacks them. */
  headers?: OutgoingRecord['headers'];
  /** Fields of the log line, besides position, origin, reason and trace. */
  logged: Readonly<Record<string, unknown>>;
}

/**
 * Gives up a record of a topic: writes its dead letter with key, headers and bytes as they were, logs it, and then the record is done.
 *
 * @throws AppError stopped when the signal aborts
 */
export type BuryRecord = (record: IncomingRecord, givenUp: GivenUp, signal: AbortSignal) => Promise<void>;

interface Deps {
  bury: Bury;
  stage: DeadLetterStage;
  log: Logger;
}

export const createBuryRecord =
  ({ bury, stage, log }: Deps): BuryRecord =>
  async (record, { reason, attempts, headers, logged }, signal) => {
    const { topic, partition, offset, key, value, rawHeaders } = record;
    const origin = firstOriginOf(record);
    await bury({ key, value, headers: { ...headers, ...rawHeaders } }, { stage, reason, attempts, origin }, signal);
    log.error({
      event: 'record.dead_lettered',
      stage,
      reason,
      attempts,
      origin,
      topic,
      partition,
      offset: String(offset),
      traceId: traceIdOf(record.headers[header.traceparent]),
      ...logged,
    });
    record.span?.fail(reason);
    record.done();
  };

/** The position of a record, or the one where it first stood, if it was replayed. */
export const firstOriginOf = (record: IncomingRecord): string => record.headers[header.origin] || originOf(record);
