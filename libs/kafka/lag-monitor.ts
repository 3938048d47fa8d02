import type { Gauge } from 'prom-client';
import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import type { GroupOffsets } from './group-offsets.ts';
import type { LagLabels } from './metrics.ts';
import type { PartitionRef } from './port.ts';

export interface LagMonitorOptions {
  groupId: string;
  offsets: GroupOffsets;
  partitions: () => readonly PartitionRef[];
  gauge: Gauge<LagLabels>;
  clock: Clock;
  log: Logger;
  intervalMs: number;
}

/**
 * Measures the lag of the assigned partitions from what the brokers say, until the signal aborts: a consumer's own idea of the end of
 * a log stands still while a partition is paused, which is when it matters.
 */
export async function monitorLag(options: LagMonitorOptions, signal: AbortSignal): Promise<void> {
  const { groupId, offsets, gauge, clock, log } = options;
  let shown: PartitionRef[] = [];

  async function measure(): Promise<void> {
    const assigned = options.partitions();
    const measured: PartitionRef[] = [];
    for (const [topic, partitions] of Map.groupBy(assigned, (ref) => ref.topic)) {
      const committed = await offsets.committed(topic);
      const ends = await offsets.ends(topic);
      for (const { partition } of partitions) {
        const end = ends.get(partition);
        if (end === undefined) continue;
        const lag = Number(end.high - (committed.get(partition) ?? end.low));
        gauge.set({ group: groupId, topic, partition }, Math.max(0, lag));
        measured.push({ topic, partition });
      }
    }
    for (const { topic, partition } of shown) {
      const gone = !measured.some((ref) => ref.topic === topic && ref.partition === partition);
      if (gone) gauge.remove({ group: groupId, topic, partition });
    }
    shown = measured;
  }

  while (!signal.aborted) {
    await clock.sleep(options.intervalMs, signal);
    if (signal.aborted) return;
    await measure().catch((error: unknown) => log.debug({ event: 'kafka.lag_unknown', err: error }));
  }
}
