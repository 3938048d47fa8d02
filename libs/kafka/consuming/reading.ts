/**
 * Puts what kafkajs has fetched into the queues of the workers, and has each partition read from the right offset: where its group left it,
 * and after a gap in the log, or a log that was made anew, from where there is something.
 */
import type { EachBatchPayload } from 'kafkajs';
import type { PartitionRef } from '../port.ts';
import { type Assignment, refOf } from './assignment.ts';
import type { Background } from './background.ts';
import type { ConsumptionOptions } from './consumption.ts';
import type { OffsetCommitter } from './offset-committer.ts';
import type { PartitionControls } from './partition-controls.ts';
import type { PartitionWorker } from './partition-worker.ts';
import type { GroupOffsets } from './positions/group-offsets.ts';
import { mendPosition } from './positions/mend-position.ts';
import { createReportPosition } from './positions/report-position.ts';
import { locateStarts } from './positions/start-offsets.ts';

export interface Reading {
  onBatch(batch: EachBatchPayload): void;
  /** The log of a partition does not have the offset that it is read from. */
  onOutOfRange(partition: PartitionRef): void;
  /** Asks where partitions that were just gained are to be read from, and has them read from there. */
  open(gained: readonly PartitionWorker[]): void;
  /** Whether every partition can take more, and is read from the right offset. */
  isWhole(): boolean;
}

interface Deps {
  options: ConsumptionOptions;
  assignment: Assignment;
  controls: PartitionControls;
  committer: Pick<OffsetCommitter, 'commitBy'>;
  groupOffsets: GroupOffsets;
  background: Background;
  /** Aborts at the stop. */
  signal: AbortSignal;
}

export function createReading(deps: Deps): Reading {
  const { options, assignment, committer, groupOffsets: offsets, background, signal } = deps;
  const { pause, resume, seek } = deps.controls;
  const { clock, log, crashes } = options;
  const report = createReportPosition(options.groupId, options.meter, log);
  /** Workers that have received records. */
  const readers = new WeakSet<PartitionWorker>();
  /** Workers whose offset the log does not have: paused until the reason is known. */
  const mending = new Set<PartitionWorker>();

  function mend(worker: PartitionWorker): void {
    pause(worker);
    if (mending.has(worker)) return;
    mending.add(worker);
    const readOn = (): void => {
      mending.delete(worker);
      seek(worker, worker.nextOffset() ?? 0n);
      if (worker.wantsMore()) resume(worker);
    };
    const mended = mendPosition({ worker, offsets, report, readOn, beginAnew, clock, log }, signal);
    background.run(mended.finally(() => mending.delete(worker)));
  }

  /** As if the partition had been lost, and gained by a group that has not read it. */
  function beginAnew(worker: PartitionWorker, startOffset: bigint): void {
    const renewed = assignment.renew(worker);
    if (renewed === undefined) return;
    options.onRevoked?.([refOf(renewed)]);
    options.onAssigned?.([refOf(renewed)]);
    openAt(renewed, startOffset, false);
  }

  function openAt(worker: PartitionWorker, startOffset: bigint, isCommitted: boolean): void {
    options.onOpened?.(refOf(worker), startOffset);
    worker.open(startOffset, isCommitted);
    seek(worker, startOffset);
    resume(worker);
  }

  return {
    onBatch({ batch, commitOffsetsIfNecessary, isStale }) {
      crashes.progressed();
      committer.commitBy(commitOffsetsIfNecessary);
      const worker = assignment.get(batch.topic, batch.partition);
      if (worker?.state() !== 'open' || isStale()) return;
      const committed = worker.committedOffset() ?? 0n;
      // The topic was made anew, or lost its end: then offsets mean other records now. Or a new leader does not know its own end yet.
      if (BigInt(batch.highWatermark) < committed) return mend(worker);
      if (!readers.has(worker)) {
        readers.add(worker);
        options.onFirstRead?.(refOf(worker), BigInt(batch.highWatermark));
      }
      if (worker.receive(batch.messages) === 'reread') seek(worker, worker.nextOffset() ?? 0n);
      if (!worker.wantsMore()) pause(worker);
    },
    onOutOfRange({ topic, partition }) {
      const worker = assignment.get(topic, partition);
      if (worker?.state() === 'open') mend(worker);
    },
    open: (workers) => background.run(locateStarts({ workers, offsets, open: openAt, report, clock, log }, signal)),
    isWhole: () =>
      assignment.workers().every((worker) => worker.state() === 'open' && worker.wantsMore() && !mending.has(worker)),
  };
}
