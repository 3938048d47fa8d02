import { maxPayloadBytes } from './payload-limit.ts';
import { retentionMsOf, topicNames, topicsOf } from './topics.ts';

interface Sizing {
  topicPrefix: string;
  partitions: number;
  replicationFactor: number;
}

interface TopicDefinition extends Omit<Sizing, 'topicPrefix'> {
  name: string;
  /** By Kafka's names. */
  config: Readonly<Record<string, string>>;
}

/** A payload, the sender's headers (Node takes 16 KiB of them) and ours, in Avro or as it came, with room to spare. */
const maxMessageBytes = 2 * maxPayloadBytes;

/** A dead letter is a record of another topic with more headers: no record of that topic may be too large for it. */
const maxDeadLetterBytes = maxMessageBytes + 64 * 1024;

/** Every topic as it should be created: durable before fast. */
export function topicDefinitions({ topicPrefix, partitions, replicationFactor }: Sizing): TopicDefinition[] {
  const topics = topicsOf(topicPrefix);
  return topicNames.map((name) => ({
    name: topics[name],
    partitions,
    replicationFactor,
    config: {
      'cleanup.policy': 'delete',
      'retention.ms': String(retentionMsOf(name)),
      // As whoever writes it has it: a broker that compresses spends its own time on each batch, and on ours without need.
      'compression.type': 'producer',
      'max.message.bytes': String(name === 'dead-letters' ? maxDeadLetterBytes : maxMessageBytes),
      // With acks=all: written means written to two, where there are three.
      'min.insync.replicas': String(Math.min(2, Math.max(1, replicationFactor - 1))),
      'unclean.leader.election.enable': 'false',
    },
  }));
}
