import type { Consumer } from 'kafkajs';
import { AppError } from '#lib/runtime';
import { rootCause } from '../client.ts';
import type { ConsumptionOptions } from './consumption.ts';

const retryMs = 500;

/** Connects and subscribes, again and again until the time limit. @throws AppError kafka_unavailable */
export async function connectInTime(
  consumer: Consumer,
  { clock, groupId, topics, connectTimeoutMs }: ConsumptionOptions,
  stopping: AbortSignal,
): Promise<void> {
  const deadlineMs = clock.monotonicMs() + connectTimeoutMs;
  for (;;) {
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      return;
    } catch (error) {
      if (clock.monotonicMs() > deadlineMs || stopping.aborted) {
        throw new AppError('kafka_unavailable', `the consumer of ${groupId} can't connect`, {
          cause: rootCause(error),
        });
      }
      await clock.sleep(retryMs, stopping);
    }
  }
}
