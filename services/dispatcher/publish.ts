import type { WaitOut } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { isAppError } from '#lib/errors';
import type { OutgoingRecord, RecordProducer } from '#lib/kafka';
import type { Logger } from '#lib/log';

/**
 * Resolves once the record is acknowledged, however long Kafka is away.
 *
 * @throws AppError stopped when the signal aborts
 */
export type Publish = (record: OutgoingRecord, signal: AbortSignal) => Promise<void>;

interface Deps {
  producer: Pick<RecordProducer, 'send'>;
  waitOut: WaitOut;
  clock: Clock;
  log: Logger;
}

/** A record that the broker refuses is a topic whose limits are too small: it is tried until someone has mended that. */
const refusedPauseMs = 10_000;

export function createPublish({ producer, waitOut, clock, log }: Deps): Publish {
  return async (record, signal) => {
    for (;;) {
      try {
        await waitOut(() => producer.send(record), signal);
        return;
      } catch (error) {
        if (!isAppError(error, 'data_invalid')) throw error;
        log.error({ event: 'record.refused', topic: record.topic, bytes: record.value.length, err: error });
        await clock.sleep(refusedPauseMs, signal);
      }
    }
  };
}
