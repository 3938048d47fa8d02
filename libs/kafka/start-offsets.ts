import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import type { GroupOffsets } from './group-offsets.ts';
import type { PartitionWorker } from './partition-worker.ts';

export interface StartOffsetsOptions {
  /** Partitions that were just gained. */
  workers: readonly PartitionWorker[];
  offsets: GroupOffsets;
  open(worker: PartitionWorker, startOffset: bigint): void;
  clock: Clock;
  log: Logger;
}

const retryMs = 500;

/**
 * Asks where each partition is to be read from (the group's committed offset, or else its first record) and opens it there. Ends when
 * none is left that has not been opened or lost again, or with the signal.
 */
export async function locateStarts(options: StartOffsetsOptions, signal: AbortSignal): Promise<void> {
  const { offsets, clock, log } = options;
  const unopened = (workers: readonly PartitionWorker[]): PartitionWorker[] =>
    workers.filter((worker) => worker.state() === 'locating');

  function openAt(workers: readonly PartitionWorker[], starts: ReadonlyMap<number, bigint>): void {
    for (const worker of unopened(workers)) {
      const start = starts.get(worker.partition);
      if (start !== undefined) options.open(worker, start);
    }
  }

  for (let rest = unopened(options.workers); rest.length > 0 && !signal.aborted; rest = unopened(rest)) {
    for (const [topic, workers] of Map.groupBy(rest, (worker) => worker.topic)) {
      try {
        openAt(workers, await offsets.committed(topic));
        if (unopened(workers).length === 0) continue;
        const ends = await offsets.ends(topic);
        openAt(workers, new Map([...ends].map(([partition, { low }]) => [partition, low])));
      } catch (error) {
        log.debug({ event: 'kafka.offsets_unknown', topic, err: error });
      }
    }
    if (unopened(rest).length > 0) await clock.sleep(retryMs, signal);
  }
}
