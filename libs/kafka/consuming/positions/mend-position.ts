import type { Clock, Logger } from '#lib/runtime';
import type { PartitionWorker } from '../partition-worker.ts';
import type { GroupOffsets } from './group-offsets.ts';
import type { ReportPosition } from './report-position.ts';
import { vetPosition } from './vet-position.ts';

export interface MendPositionOptions {
  /** Open, and paused until this is over. */
  worker: PartitionWorker;
  offsets: Pick<GroupOffsets, 'ends'>;
  report: ReportPosition;
  /** Has the worker read on from its next offset. */
  readOn(worker: PartitionWorker): void;
  /** Gives the partition a worker that knows nothing of this one's offsets, and opens it. */
  beginAnew(worker: PartitionWorker, startOffset: bigint): void;
  clock: Clock;
  log: Logger;
}

/** Also before the first question: a broker that goes on refusing an offset within its bounds is not asked without a pause. */
const pauseMs = 500;

/**
 * Finds out why there is nothing at the offset that a partition is to be read from, says it, and has it read on from where there is
 * something. Ends when that is done, the partition is lost, or with the signal.
 */
export async function mendPosition(options: MendPositionOptions, signal: AbortSignal): Promise<void> {
  const { worker, offsets, report, clock, log } = options;
  const { topic, partition } = worker;
  for (;;) {
    await clock.sleep(pauseMs, signal);
    if (signal.aborted || worker.state() !== 'open') return;
    try {
      const next = worker.nextOffset();
      const bounds = (await offsets.ends(topic)).get(partition);
      if (worker.state() !== 'open') return;
      if (bounds !== undefined && next !== undefined) {
        const position = vetPosition(next, bounds);
        report(worker, position);
        if (position.kind === 'beyond_end') return options.beginAnew(worker, position.startOffset);
        worker.skipTo(position.startOffset);
        return options.readOn(worker);
      }
    } catch (error) {
      log.debug({ event: 'kafka.offsets_unknown', topic, err: error });
    }
  }
}
