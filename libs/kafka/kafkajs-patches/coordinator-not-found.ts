import Cluster from 'kafkajs/src/cluster/index.js';

/**
 * kafkajs takes "no broker names the group's coordinator" for final: its consumer ends without asking `restartOnFailure`. A network that is cut
 * at the wrong moment causes just that (an hour of injected faults ended a projector by it). Patched: the error is retriable, like all other
 * ways in which brokers are away.
 */
export function retryCoordinatorLookup(): void {
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
