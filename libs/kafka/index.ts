export {
  type HeaderValue,
  type IncomingRecord,
  type OutgoingRecord,
  type PartitionRef,
  type RecordHandler,
  type RecordPosition,
  type RecordProducer,
  type UndecodableBatch,
  type UndecodableBatchHandler,
  originOf,
} from './port.ts';
export { type KafkaAccess, kafkaAccess } from './access.ts';
export { partitionOf } from './producing/topic-sender.ts';
export { type CreateProducer, type ProducerOptions, createProducer } from './producing/producer.ts';
export { createProducerPool } from './producing/producer-pool.ts';
export { consumerMetrics, producerMetrics } from './metrics.ts';
export { createConsumer } from './consuming/rebuilding/supervised-consumer.ts';
export { decodeKeptBatch } from './consuming/decode-kept-batch.ts';
export { readBatchAgain } from './consuming/read-batch-again.ts';
export { readTopic } from './consuming/read-topic.ts';
export type { ConsumerOptions, RecordConsumer } from './consuming/consumer-options.ts';
export {
  type CreateTopicsOptions,
  type TopicDefinition,
  countPartitions,
  createTopics,
  readKeepTimes,
} from './topics.ts';
export { type AvroSchema, registerSchemas, valueSubject } from './codec/registry-client.ts';
export {
  type AttemptCodec,
  type AvroCodec,
  createAttemptCodec,
  createAvroCodec,
  createEventCodec,
} from './codec/avro-codec.ts';
export { traceRecords } from './consuming/trace-records.ts';
export { whenAllAborted } from './consuming/when-all-aborted.ts';
