import type { PartitionRef } from '#lib/kafka';

/** The partitions of `deliveries` that this process owns, each with a signal that aborts when it is lost. */
export interface OwnedPartitions {
  assigned(partitions: readonly PartitionRef[]): void;
  revoked(partitions: readonly PartitionRef[]): void;
  numbers(): number[];
  signalOf(partition: number): AbortSignal | undefined;
}

export function createOwnedPartitions(): OwnedPartitions {
  const owned = new Map<number, AbortController>();

  function release(partition: number): void {
    owned.get(partition)?.abort();
    owned.delete(partition);
  }

  return {
    assigned(partitions) {
      for (const { partition } of partitions) {
        // Handed to us anew: what was read under the old assignment is not ours any more.
        release(partition);
        owned.set(partition, new AbortController());
      }
    },
    revoked: (partitions) => partitions.forEach(({ partition }) => release(partition)),
    numbers: () => [...owned.keys()],
    signalOf: (partition) => owned.get(partition)?.signal,
  };
}
