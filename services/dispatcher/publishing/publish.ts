import type { OutgoingRecord, RecordProducer } from '#lib/kafka';
import { type AppError, type Clock, isAppError, type Logger, type WaitOut } from '#lib/runtime';

/**
 * Resolves when the record is acknowledged, however long Kafka is away. If Kafka refuses it as too large for its topic, a shorter one
 * replaces it. The shortest one is retried until the topic is fixed: it must be so small that every topic takes it.
 *
 * @throws AppError stopped when the signal aborts
 */
export type Publish = (record: OutgoingRecord, signal: AbortSignal, shorter?: () => OutgoingRecord) => Promise<void>;

/**
 * The same for a record with an alternative: resolves with the error where Kafka refuses it, because it is too large for its topic. Kafka
 * would refuse it again.
 */
export type Offer = (record: OutgoingRecord, signal: AbortSignal) => Promise<AppError | undefined>;

interface Deps {
  producer: Pick<RecordProducer, 'send'>;
  waitOut: WaitOut;
  log: Logger;
}

const refusedPauseMs = 10_000;

export function createOffer({ producer, waitOut, log }: Deps): Offer {
  return async (record, signal) => {
    try {
      await waitOut(() => producer.send(record), signal);
      return undefined;
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      log.error({ event: 'record.refused', topic: record.topic, bytes: record.value.length, err: error });
      return error;
    }
  };
}

export function createPublish({ clock, ...deps }: Deps & { clock: Clock }): Publish {
  const offer = createOffer(deps);
  return async (record, signal, shorter) => {
    if ((await offer(record, signal)) === undefined) return;
    const last = shorter?.() ?? record;
    if (last === record) await clock.sleep(refusedPauseMs, signal);
    while ((await offer(last, signal)) !== undefined) await clock.sleep(refusedPauseMs, signal);
  };
}
