import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import type { GroupOffsets } from './group-offsets.ts';
import type { ConsumerMeter } from './metrics.ts';
import type { PartitionWorker } from './partition-worker.ts';
import type { PartitionRef } from './port.ts';

export interface LagMonitorOptions {
  offsets: GroupOffsets;
  assigned(): readonly Pick<PartitionWorker, 'topic' | 'partition' | 'oldestOpenAtMs'>[];
  meter: ConsumerMeter;
  clock: Clock;
  log: Logger;
  intervalMs: number;
}

/**
 * Measures the lag of the assigned partitions from what the brokers say, until the signal aborts: a consumer's own idea of the end of
 * a log stands still while a partition is paused, which is when it matters.
 */
export async function monitorLag(options: LagMonitorOptions, signal: AbortSignal): Promise<void> {
  const { offsets, meter, clock, log } = options;
  let shown: PartitionRef[] = [];

  async function measure(): Promise<void> {
    const assigned = options.assigned();
    const measured: PartitionRef[] = [];
    for (const [topic, workers] of Map.groupBy(assigned, (worker) => worker.topic)) {
      const committed = await offsets.committed(topic);
      const ends = await offsets.ends(topic);
      for (const { partition, oldestOpenAtMs } of workers) {
        const end = ends.get(partition);
        if (end === undefined) continue;
        const records = Math.max(0, Number(end.high - (committed.get(partition) ?? end.low)));
        const openSinceMs = oldestOpenAtMs();
        const seconds = openSinceMs === undefined ? 0 : Math.max(0, clock.nowMs() - openSinceMs) / 1000;
        meter.lag(topic, partition, { records, seconds });
        measured.push({ topic, partition });
      }
    }
    for (const { topic, partition } of shown) {
      const gone = !measured.some((ref) => ref.topic === topic && ref.partition === partition);
      if (gone) meter.forget(topic, partition);
    }
    shown = measured;
  }

  while (!signal.aborted) {
    await clock.sleep(options.intervalMs, signal);
    if (signal.aborted) return;
    try {
      await measure();
      meter.reached(true);
    } catch (error) {
      meter.reached(false);
      log.debug({ event: 'kafka.lag_unknown', err: error });
    }
  }
}
