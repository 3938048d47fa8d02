import { type Clock, type Logger, repeat } from '#lib/runtime';
import type { ConsumerMeter } from '../../metrics.ts';
import type { PartitionRef } from '../../port.ts';
import type { PartitionWorker } from '../partition-worker.ts';
import type { GroupOffsets } from './group-offsets.ts';

export interface LagMonitorOptions {
  offsets: Omit<GroupOffsets, 'close'>;
  assigned(): readonly Pick<PartitionWorker, 'topic' | 'partition' | 'oldestOpenAtMs'>[];
  meter: ConsumerMeter;
  clock: Clock;
  log: Logger;
  intervalMs: number;
}

/** A topic's retention is changed by people, now and then. */
const retentionEveryMs = 60_000;

/** The oldest record of a partition that is not finished: since when it has been seen to wait, by the monotonic clock. */
interface Waiting {
  offset: bigint;
  sinceMs: number;
}

/**
 * Measures the lag of the assigned partitions from what the brokers say, until the signal aborts: a consumer's own idea of the end of
 * a log stands still while a partition is paused, which is when it matters. Nor is it asked alone for how long the oldest record waits: of
 * what it does not read, though it should, it knows nothing.
 */
export async function monitorLag(options: LagMonitorOptions, signal: AbortSignal): Promise<void> {
  const { offsets, meter, clock, log } = options;
  let shown: PartitionRef[] = [];
  let waiting = new Map<string, Waiting>();
  const retentionAskedAtMs = new Map<string, number>();

  /** Some clusters allow reading a group's offsets, but not a topic's settings: the lag is measured all the same. */
  async function measureRetention(topics: ReadonlySet<string>): Promise<void> {
    for (const topic of retentionAskedAtMs.keys()) {
      if (topics.has(topic)) continue;
      retentionAskedAtMs.delete(topic);
      meter.retention(topic, undefined);
    }
    for (const topic of topics) {
      const askedAtMs = retentionAskedAtMs.get(topic);
      if (askedAtMs !== undefined && clock.monotonicMs() - askedAtMs < retentionEveryMs) continue;
      retentionAskedAtMs.set(topic, clock.monotonicMs());
      try {
        const ms = await offsets.retentionMs(topic);
        meter.retention(topic, ms === undefined ? undefined : ms / 1000);
      } catch (error) {
        log.debug({ event: 'kafka.retention_unknown', topic, err: error });
      }
    }
  }

  async function measure(): Promise<void> {
    const assigned = options.assigned();
    const measured: PartitionRef[] = [];
    const stillWaiting = new Map<string, Waiting>();
    const askedMs = clock.monotonicMs();
    for (const [topic, workers] of Map.groupBy(assigned, (worker) => worker.topic)) {
      const committed = await offsets.committed(topic);
      const ends = await offsets.ends(topic);
      const answeredMs = clock.monotonicMs();
      for (const { partition, oldestOpenAtMs } of workers) {
        const end = ends.get(partition);
        if (end === undefined) continue;
        // Below the first there is nothing left to do.
        const offset = maxOf(committed.get(partition) ?? end.low, end.low);
        const records = Math.max(0, Number(end.high - offset));
        let waitedMs = Math.max(0, clock.nowMs() - (oldestOpenAtMs() ?? Number.POSITIVE_INFINITY));
        if (records > 0) {
          const name = `${topic}/${partition}`;
          const known = waiting.get(name);
          const oldest = known?.offset === offset ? known : { offset, sinceMs: answeredMs };
          stillWaiting.set(name, oldest);
          waitedMs = Math.max(waitedMs, askedMs - oldest.sinceMs);
        }
        meter.lag(topic, partition, { records, seconds: waitedMs / 1000 });
        measured.push({ topic, partition });
      }
    }
    for (const { topic, partition } of shown) {
      const gone = !measured.some((ref) => ref.topic === topic && ref.partition === partition);
      if (gone) meter.forget(topic, partition);
    }
    shown = measured;
    waiting = stillWaiting;
  }

  async function round(): Promise<void> {
    try {
      await measure();
      meter.reached(true);
      await measureRetention(new Set(shown.map(({ topic }) => topic)));
    } catch (error) {
      meter.reached(false);
      log.debug({ event: 'kafka.lag_unknown', err: error });
    }
  }

  await repeat(round, { everyMs: options.intervalMs, waitsFirst: true, clock }, signal);
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
