import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from '#lib/runtime';
import { rootCause } from '../client.ts';
import type { PartitionWorker } from './partition-worker.ts';

/**
 * kafkajs's commit as a batch brings it along: one request in the generation of the moment, without retries. `consumer.commitOffsets`
 * would not do: it tries again after a rebalance, in the new generation, and rewinds the partition for its new owner.
 */
type CommitOffsets = EachBatchPayload['commitOffsetsIfNecessary'];

export interface OffsetCommitter {
  commitBy(commitOffsets: CommitOffsets): void;
  /** A join has begun: what is assigned, and in which generation, is open until `resume`. */
  suspend(): void;
  resume(): void;
  /** The member has left its group: nothing can be committed until it has read again. */
  forget(): void;
  /** Commits what is done of the partitions assigned now. Never throws: what was not committed is, the next time. */
  commit(): Promise<void>;
}

export function createOffsetCommitter(workers: () => readonly PartitionWorker[], log: Logger): OffsetCommitter {
  let commitOffsets: CommitOffsets | undefined;
  let suspended = false;
  let lastCommit: Promise<void> = Promise.resolve();

  async function commitOnce(): Promise<void> {
    if (suspended) return;
    const due = workers().flatMap((worker) => {
      const offset = worker.committable();
      return offset === undefined ? [] : [{ worker, offset }];
    });
    if (due.length === 0 || commitOffsets === undefined) return;
    const topics = Map.groupBy(due, ({ worker }) => worker.topic);
    try {
      await commitOffsets({
        topics: [...topics].map(([topic, partitions]) => ({
          topic,
          partitions: partitions.map(({ worker, offset }) => ({
            partition: worker.partition,
            offset: String(offset),
          })),
        })),
      });
      for (const { worker, offset } of due) worker.committed(offset);
    } catch (error) {
      log.debug({ event: 'kafka.commit_failed', err: rootCause(error) });
    }
  }

  return {
    commitBy(commit) {
      commitOffsets = commit;
    },
    suspend() {
      suspended = true;
    },
    resume() {
      suspended = false;
    },
    forget() {
      commitOffsets = undefined;
    },
    commit() {
      // One after the other: answers out of order would make an older commit the last.
      lastCommit = lastCommit.then(commitOnce);
      return lastCommit;
    },
  };
}
