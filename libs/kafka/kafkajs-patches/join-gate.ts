import { type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/** What a consumer does before it joins its group again. */
export interface JoinGate {
  /** Give this to kafkajs as its assigner. */
  assigner: PartitionAssigner;
  /** Joins asked for since the last call of this. More than one: there may have been a generation that we never heard of. */
  takeAttempts(): number;
}

/**
 * kafkajs joins again as soon as it hears of a rebalance, without asking. An assigner is given the cluster that its consumer uses, and
 * finding the group's coordinator is the first step of every join: what runs before it is done in the old generation, in which
 * offsets can still be committed.
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
        // Asked for once in each join.
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
