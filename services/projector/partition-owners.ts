import { partitionOf } from '#lib/kafka';
import { AppError, createPart, type Part, type WaitOut } from '#lib/runtime';

/** Says which partition of `deliveries` an endpoint is in, and so which dispatcher reads its rows of `waiting`. */
export interface PartitionOwners extends Part {
  partitionOf(endpointId: string): number;
}

/**
 * The number of partitions is read once, at the start: a topic that gets more of them moves endpoints to other partitions, and wants its
 * dispatchers and projectors started anew.
 */
export function createPartitionOwners(countPartitions: () => Promise<number>, waitOut: WaitOut): PartitionOwners {
  const stopping = new AbortController();
  let partitions = 0;
  const part = createPart(
    'partitions of deliveries',
    async () => {
      partitions = await waitOut(countPartitions, stopping.signal);
    },
    async () => undefined,
  );
  return {
    ...part,
    stop: () => {
      stopping.abort();
      return part.stop();
    },
    partitionOf(endpointId) {
      if (partitions === 0) throw new AppError('bug', 'a partition is asked for before the start');
      return partitionOf(endpointId, partitions);
    },
  };
}
