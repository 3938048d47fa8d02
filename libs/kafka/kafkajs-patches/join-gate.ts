import { type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/** Runs work before each join of a consumer, and counts its joins. */
export interface JoinGate {
  /** Passed to kafkajs as its partition assigner. */
  assigner: PartitionAssigner;
  /** Joins begun since the last call. More than one: there may have been a generation without us. */
  takeAttempts(): number;
}

/**
 * kafkajs rejoins as soon as it hears of a rebalance; it has no hook before that. But an assigner receives its consumer's cluster, and the first
 * step of every join is to find the group's coordinator: work that runs before that step still belongs to the old generation, in which offsets
 * can be committed.
 */
export function createJoinGate(beforeJoin: () => Promise<void>): JoinGate {
  let attempts = 0;
  return {
    assigner(config) {
      const { cluster } = config;
      const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
      cluster.findGroupCoordinator = async (group) => {
        await beforeJoin();
        return findGroupCoordinator(group);
      };
      const roundRobin = PartitionAssigners.roundRobin(config);
      return {
        ...roundRobin,
        // kafkajs asks for it once per join.
        protocol(subscription) {
          attempts += 1;
          return roundRobin.protocol(subscription);
        },
      };
    },
    takeAttempts() {
      const taken = attempts;
      attempts = 0;
      return taken;
    },
  };
}
