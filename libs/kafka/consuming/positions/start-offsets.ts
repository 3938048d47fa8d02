import type { Clock, Logger } from '#lib/runtime';
import type { PartitionWorker } from '../partition-worker.ts';
import type { GroupOffsets } from './group-offsets.ts';
import type { ReportPosition } from './report-position.ts';
import { vetPosition } from './vet-position.ts';

export interface StartOffsetsOptions {
  /** Partitions that were just gained. */
  workers: readonly PartitionWorker[];
  offsets: Pick<GroupOffsets, 'committed' | 'ends'>;
  /** @param isCommitted the group has this offset; else it is to be committed, so that the next start knows where this one began */
  open(worker: PartitionWorker, startOffset: bigint, isCommitted: boolean): void;
  report: ReportPosition;
  clock: Clock;
  log: Logger;
}

const retryMs = 500;

/**
 * Asks where each partition is to be read from (the group's committed offset where the log has it, or else its first record) and opens it
 * there. Ends when none is left that has not been opened or lost again, or with the signal.
 */
export async function locateStarts(options: StartOffsetsOptions, signal: AbortSignal): Promise<void> {
  const { offsets, open, report, clock, log } = options;
  const unopened = (workers: readonly PartitionWorker[]): PartitionWorker[] =>
    workers.filter((worker) => worker.state() === 'locating');

  async function locate(topic: string, workers: readonly PartitionWorker[]): Promise<void> {
    // Before the bounds: what is committed by then is within them.
    const committed = await offsets.committed(topic);
    const ends = await offsets.ends(topic).catch((error: unknown) => {
      log.debug({ event: 'kafka.offsets_unknown', topic, err: error });
      return undefined;
    });
    for (const worker of unopened(workers)) {
      const offset = committed.get(worker.partition);
      const bounds = ends?.get(worker.partition);
      if (bounds !== undefined) {
        const position = vetPosition(offset, bounds);
        report(worker, position);
        open(worker, position.startOffset, position.kind === 'within');
      } else if (offset !== undefined) {
        // A leader is away. Whether the log still has that offset, its first fetch finds out: see mend-position.ts.
        open(worker, offset, true);
      }
    }
  }

  for (let rest = unopened(options.workers); rest.length > 0 && !signal.aborted; rest = unopened(rest)) {
    for (const [topic, workers] of Map.groupBy(rest, (worker) => worker.topic)) {
      try {
        await locate(topic, workers);
      } catch (error) {
        log.debug({ event: 'kafka.offsets_unknown', topic, err: error });
      }
    }
    if (unopened(rest).length > 0) await clock.sleep(retryMs, signal);
  }
}
