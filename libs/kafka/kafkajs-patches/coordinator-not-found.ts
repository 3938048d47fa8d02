import Cluster from 'kafkajs/src/cluster/index.js';

let heeded = false;

/**
 * Where no broker says who coordinates a group, kafkajs takes that for final, and its consumer ends without asking whether it may start
 * again; all other ways in which brokers are away it tries again. Behind a network that is cut in the wrong moment it is no other: found by
 * an hour of faults, in which a projector ended of it. It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function waitForCoordinators(): void {
  if (heeded) return;
  heeded = true;
  const cluster = Cluster.prototype;

  const find = cluster.findGroupCoordinatorMetadata;
  cluster.findGroupCoordinatorMetadata = async function (asked) {
    try {
      return await find.call(this, asked);
    } catch (error) {
      if (error instanceof Error && error.name === 'KafkaJSGroupCoordinatorNotFound')
        Object.assign(error, { retriable: true });
      throw error;
    }
  };
}
