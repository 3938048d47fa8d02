/**
 * Admits a webhook only while it can become durable in time. Others are refused at once instead of waiting with everybody else; an admitted
 * webhook has a deadline for its answer.
 *
 * | reason    | no webhook is admitted while                                     | until                              |
 * |-----------|------------------------------------------------------------------|------------------------------------|
 * | `full`    | the bound on waiting records or bytes is reached                 | one of them has ended              |
 * | `starved` | the event loop lags so much that an answer would be late; earlier, only a part is refused | it does not |
 * | `stalled` | nothing was acknowledged for a second, though something waits    | an acknowledgment; one webhook every 250 ms probes |
 * | `slow`    | acknowledgments take so long that one more would come too late   | they come faster, or nothing waits |
 */
import type { OutgoingRecord, RecordProducer } from '#lib/kafka';
import { AppError, type Clock, isAppError } from '#lib/runtime';
import type { LoopDelay } from './loop-delay.ts';

export type BusyReason = 'full' | 'starved' | 'stalled' | 'slow';

export interface Admission {
  /** The reason to refuse one more webhook now; undefined if it is admitted. */
  admit(): BusyReason | undefined;
  /**
   * When a webhook whose last byte was seen just now must be known to be durable.
   *
   * @param spentMs what this process has used up of its time before, while the last byte may have been there already
   */
  deadlineMs(spentMs: number): number;
  /** @throws AppError what the producer throws; kafka_unavailable where the acknowledgment comes after the deadline */
  send(record: OutgoingRecord, deadlineMs: number): Promise<void>;
}

interface Options {
  producer: Pick<RecordProducer, 'send' | 'pending'>;
  loopDelay: Pick<LoopDelay, 'currentMs'>;
  clock: Clock;
  maxPendingRecords: number;
  maxPendingBytes: number;
  onRefusal(reason: BusyReason): void;
}

/** From a webhook's last byte to its answer, everything included. */
export const answerWithinMs = 2_000;
/** Reserve for detecting the timeout and writing the answer. */
export const answeringMs = 150;
/**
 * A webhook waits for the current turn of the event loop, is handed over in the next, and its acknowledgment is read in the one after:
 * turns of 800 ms leave no time for anything else. From half of that on a part is refused, which costs less than serving it and makes turns
 * shorter; refusing all or none would oscillate.
 */
const allUpToMs = 400;
const noneFromMs = 800;
const stalledAfterMs = 1_000;
const probeEveryMs = 250;
/** Older measurements say nothing about now. */
const forgottenAfterMs = 5_000;
/** Below it, nothing queues: a burst makes larger batches, and takes hardly longer. */
const quickMs = 250;
/** The weight of one acknowledgment in the running mean: about a hundred of them, a few batches. */
const weight = 0.01;

export function createAdmission(options: Options): Admission {
  const { producer, loopDelay, clock, maxPendingRecords, maxPendingBytes } = options;
  /** Since when something waits with nothing acknowledged. */
  let waitingSinceMs: number | undefined;
  let probedAtMs = Number.NEGATIVE_INFINITY;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  /** The unused part of the admitted share, accumulated by rejected requests. */
  let credit = 0;
  /** Averages over acknowledgments: their duration, and the number of records in flight when they were sent. */
  let meanMs = 0;
  let meanRecords = 1;

  const forKafkaMs = (): number => answerWithinMs - answeringMs - 2 * loopDelay.currentMs();

  function expectedMs(pendingRecords: number): number {
    if (meanMs < quickMs || pendingRecords === 0) return 0;
    return meanMs * Math.max(1, pendingRecords / meanRecords);
  }

  function isStalled(nowMs: number, pendingRecords: number): boolean {
    if (pendingRecords === 0 && nowMs - sentAtMs > forgottenAfterMs) waitingSinceMs = undefined;
    if (waitingSinceMs === undefined || nowMs - waitingSinceMs <= stalledAfterMs) return false;
    if (nowMs - probedAtMs < probeEveryMs) return true;
    probedAtMs = nowMs;
    return false;
  }

  function isStarved(): boolean {
    const part = (noneFromMs - loopDelay.currentMs()) / (noneFromMs - allUpToMs);
    if (part >= 1) return false;
    credit += Math.max(0, part);
    if (credit < 1) return true;
    credit -= 1;
    return false;
  }

  function decide(): BusyReason | undefined {
    const { records, bytes } = producer.pending();
    if (records >= maxPendingRecords || bytes >= maxPendingBytes) return 'full';
    if (isStarved()) return 'starved';
    if (isStalled(clock.monotonicMs(), records)) return 'stalled';
    return expectedMs(records) > forKafkaMs() ? 'slow' : undefined;
  }

  /** Kafka has said something. */
  function noteAnswer(): void {
    waitingSinceMs = producer.pending().records === 0 ? undefined : clock.monotonicMs();
  }

  return {
    admit() {
      const reason = decide();
      if (reason !== undefined) options.onRefusal(reason);
      return reason;
    },
    deadlineMs: (spentMs) => clock.monotonicMs() - spentMs - loopDelay.currentMs() + answerWithinMs - answeringMs,
    async send(record, deadlineMs) {
      const beganAtMs = clock.monotonicMs();
      const { records } = producer.pending();
      sentAtMs = beganAtMs;
      waitingSinceMs ??= beganAtMs;
      try {
        // The time limit is noticed as late as this process is.
        await producer.send(record, deadlineMs - beganAtMs - loopDelay.currentMs());
      } catch (error) {
        // One that had little time says nothing about Kafka.
        const waitedMs = clock.monotonicMs() - beganAtMs;
        if (!isAppError(error, 'kafka_unavailable') || waitedMs < stalledAfterMs) noteAnswer();
        throw error;
      }
      noteAnswer();
      const nowMs = clock.monotonicMs();
      meanMs += (nowMs - beganAtMs - meanMs) * weight;
      meanRecords += (records + 1 - meanRecords) * weight;
      if (nowMs > deadlineMs) throw new AppError('kafka_unavailable', 'the acknowledgment came too late');
    },
  };
}
