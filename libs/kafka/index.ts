export {
  type HeaderValue,
  type IncomingRecord,
  type OutgoingRecord,
  type PartitionRef,
  type RecordHandler,
  type RecordPosition,
  type RecordProducer,
  originOf,
} from './port.ts';
export { type KafkaAccess, kafkaAccess } from './access.ts';
export { partitionOf } from './partitioner.ts';
export { type ProducerOptions, createProducer } from './producer.ts';
export { consumerMetrics, producerMetrics } from './metrics.ts';
export { createConsumer } from './supervised-consumer.ts';
export { type ReadTopicOptions, readTopic } from './read-topic.ts';
export type { ConsumerOptions, RecordConsumer } from './consumer-options.ts';
export { type CreateTopicsOptions, type TopicDefinition, countPartitions, createTopics } from './topics.ts';
export {
  type AvroSchema,
  type RegisterSchemasOptions,
  type SubjectSchema,
  registerSchemas,
  valueSubject,
} from './registry-client.ts';
export {
  type AvroCodec,
  type AvroCodecOptions,
  createAttemptCodec,
  createAvroCodec,
  createEventCodec,
} from './avro-codec.ts';
export { traceRecords } from './trace-records.ts';
export { whenAllAborted } from './when-all-aborted.ts';
