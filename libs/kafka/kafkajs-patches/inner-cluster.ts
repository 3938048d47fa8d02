/** kafkajs's inner cluster: connections and requests for which its public clients have no call. */
import type { Cluster as ConsumerCluster, Kafka } from 'kafkajs';
import type { Cluster } from 'kafkajs/src/cluster/index.js';
import { metadataMaxAgeMs } from '../client.ts';

/** kafkajs keeps the factory of its inner clusters behind a symbol. */
const clusterFactory = 'private:Kafka:createCluster';

/** @returns a cluster of its own for the client, with one request in flight per connection */
export function createInnerCluster(client: Kafka): Cluster {
  const symbol = Object.getOwnPropertySymbols(client).find(({ description }) => description === clusterFactory);
  const create = symbol && (client as unknown as Record<symbol, (options: object) => Cluster>)[symbol];
  if (create === undefined) throw new TypeError('not a client of kafkajs 2.2.4');
  return create({ metadataMaxAge: metadataMaxAgeMs, allowAutoTopicCreation: false, maxInFlightRequests: 1 });
}

/** @returns the cluster that a consumer of the group would use: an assigner receives it */
export function clusterOfConsumer(kafka: Kafka, groupId: string): ConsumerCluster {
  let found: ConsumerCluster | undefined;
  kafka.consumer({
    groupId,
    partitionAssigners: [
      ({ cluster }) => {
        found = cluster;
        return {
          name: 'none',
          version: 0,
          assign: async () => [],
          protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }),
        };
      },
    ],
  });
  if (found === undefined) throw new Error('kafkajs made no assigner');
  return found;
}
