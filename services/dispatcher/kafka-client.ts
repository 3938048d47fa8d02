import { type ConsumerOptions, type KafkaAccess, kafkaAccess } from '#lib/kafka';
import type { DispatcherConfig } from './config.ts';

/** Access to Kafka for consumers and the producer, and their metrics. */
export type KafkaClient = KafkaAccess & Pick<ConsumerOptions, 'clientId' | 'clock' | 'log' | 'metrics'>;

/** For both consumers, shorter than elsewhere: deliveries done and not committed when the process dies may be sent again. */
export const commitIntervalMs = 200;

export const createKafkaClient = (
  config: DispatcherConfig,
  clientId: string,
  reporting: Omit<KafkaClient, keyof KafkaAccess | 'clientId'>,
): KafkaClient => ({ ...kafkaAccess(config), clientId, ...reporting });
