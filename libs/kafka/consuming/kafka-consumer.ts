import type { Consumer, Kafka, PartitionAssigner } from 'kafkajs';
import { maxPayloadBytes } from '#lib/contract';
import { clientRetry, metadataMaxAgeMs } from '../client.ts';
import { type ConsumerOptions, heartbeatIntervalOf, sessionTimeoutOf } from './consumer-options.ts';

// Pause between looks while no partition of a broker may be read. Fetches have limits of their own: see fetch-pace.ts.
const nothingToFetchMs = 100;
// A record of the largest payload with its headers fits twice.
const maxBytesPerPartition = 2 * maxPayloadBytes + 64 * 1024;
const maxBytesPerFetch = 8 * 1024 * 1024;
/**
 * Time for members to rejoin the group. kafkajs waits as long, and five seconds more, for the answer to a join that the network has
 * lost, and hears of nothing meanwhile: little more than what comes before a join takes (`beforeJoin`), and the session time-out.
 */
const rebalanceTimeoutMs = 15_000;

interface Hooks {
  assigner: PartitionAssigner;
  /** Whether kafkajs may start its consumer again after a crash. */
  mayRestart(error: Error): boolean;
}

/** kafkajs's consumer with our settings. */
export function createKafkaConsumer(kafka: Kafka, options: ConsumerOptions, { assigner, mayRestart }: Hooks): Consumer {
  return kafka.consumer({
    groupId: options.groupId,
    partitionAssigners: [assigner],
    sessionTimeout: sessionTimeoutOf(options),
    heartbeatInterval: heartbeatIntervalOf(options),
    rebalanceTimeout: rebalanceTimeoutMs,
    maxWaitTimeInMs: nothingToFetchMs,
    maxBytesPerPartition,
    maxBytes: maxBytesPerFetch,
    metadataMaxAge: metadataMaxAgeMs,
    allowAutoTopicCreation: false,
    retry: { ...clientRetry, retries: 10, restartOnFailure: async (error) => mayRestart(error) },
  });
}
