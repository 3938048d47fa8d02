import type { PartitionRef } from '../port.ts';
import type { PartitionWorker } from './partition-worker.ts';

/** The partitions that this member has, each with its worker. */
export interface Assignment {
  get(topic: string, partition: number): PartitionWorker | undefined;
  workers(): PartitionWorker[];
  /**
   * Takes over what a join assigned. Workers of partitions that are kept go on with all they know, unless `continuous` is false: then
   * somebody else may have had the partition in between, so each starts anew.
   */
  replace(
    assigned: readonly PartitionRef[],
    continuous: boolean,
  ): { lost: PartitionWorker[]; gained: PartitionWorker[] };
  /** Drops the worker of a partition that is kept, for another that begins anew; undefined where it is not assigned any more. */
  renew(worker: PartitionWorker): PartitionWorker | undefined;
  /** @returns the workers that it dropped */
  dropAll(): PartitionWorker[];
}

/** Handlers of dropped workers that may still run, by their partition: one that comes back waits for its own. */
export type ReturningHandlers = Map<string, Promise<void>>;

export const refOf = ({ topic, partition }: PartitionRef): PartitionRef => ({ topic, partition });

const keyOf = ({ topic, partition }: PartitionRef): string => `${topic}/${partition}`;

export function createAssignment(
  createWorker: (partition: PartitionRef, after: Promise<void>) => PartitionWorker,
  returning: ReturningHandlers = new Map(),
): Assignment {
  const workers = new Map<string, PartitionWorker>();

  function drop(key: string, worker: PartitionWorker): void {
    worker.drop();
    workers.delete(key);
    const returned = worker.returned().finally(() => {
      if (returning.get(key) === returned) returning.delete(key);
    });
    returning.set(key, returned);
  }

  function dropWhere(isLost: (key: string) => boolean): PartitionWorker[] {
    const lost = [...workers].filter(([key]) => isLost(key));
    for (const [key, worker] of lost) drop(key, worker);
    return lost.map(([, worker]) => worker);
  }

  function create(partition: PartitionRef): PartitionWorker {
    const key = keyOf(partition);
    const worker = createWorker(partition, returning.get(key) ?? Promise.resolve());
    workers.set(key, worker);
    return worker;
  }

  return {
    get: (topic, partition) => workers.get(keyOf({ topic, partition })),
    workers: () => [...workers.values()],
    replace(assigned, continuous) {
      const assignedKeys = new Set(assigned.map(keyOf));
      const lost = dropWhere((key) => !continuous || !assignedKeys.has(key));
      const gained = assigned.filter((partition) => !workers.has(keyOf(partition))).map(create);
      return { lost, gained };
    },
    renew(worker) {
      const { topic, partition } = worker;
      const key = keyOf(worker);
      if (workers.get(key) !== worker) return undefined;
      drop(key, worker);
      return create({ topic, partition });
    },
    dropAll: () => dropWhere(() => true),
  };
}
