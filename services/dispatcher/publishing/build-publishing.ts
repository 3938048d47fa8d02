import { readSchema, type Topics } from '#lib/contract';
import { createBury, createBuryBatch, createBuryRecord, createKeepDeadLetter } from '#lib/dead-letters';
import { createAttemptCodec, createEventCodec, createProducer } from '#lib/kafka';
import type { Postgres } from '#lib/postgres';
import type { WaitOut } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from '../config.ts';
import type { KafkaClient } from '../kafka-client.ts';
import { dispatcherMetrics } from '../metrics.ts';
import { createBuryDelivery } from './bury-delivery.ts';
import { createOffer, createPublish } from './publish.ts';

interface Deps {
  config: Pick<DispatcherConfig, 'schemaRegistryUrl' | 'kafkaCompression'>;
  context: Pick<ServiceContext, 'clock' | 'log' | 'metrics' | 'tracer' | 'createProducer'>;
  kafka: KafkaClient;
  /** Keeps the dead letters that their topic refuses. */
  postgres: Postgres;
  waitOut: WaitOut;
  topics: Topics;
}

/** The producer, the codecs, and the ways in which records are written. */
export function buildPublishing({ config, context, kafka, postgres, waitOut, topics }: Deps) {
  const { clock, log, metrics, tracer } = context;
  const registry = { registryUrl: config.schemaRegistryUrl, clock, log };
  const producer = (context.createProducer ?? createProducer)({
    ...kafka,
    tracer,
    topics: [topics['delivery.attempts'], topics.deliveries],
    compression: config.kafkaCompression,
  });
  const bury = createBury({
    producer,
    topic: topics['dead-letters'],
    keep: createKeepDeadLetter(postgres),
    counter: dispatcherMetrics.deadLetters,
    waitOut,
    clock,
    log,
    metrics,
  });
  return {
    producer,
    eventCodec: createEventCodec({ ...registry, topic: topics.events, schema: readSchema('events') }),
    attemptCodec: createAttemptCodec({
      ...registry,
      topic: topics['delivery.attempts'],
      schema: readSchema('delivery.attempts'),
    }),
    publish: createPublish({ producer, waitOut, clock, log }),
    offer: createOffer({ producer, waitOut, log }),
    buryDelivery: createBuryDelivery(bury),
    buryEvent: createBuryRecord({ bury, stage: 'fan-out', log }),
    /** Buries a record of `deliveries` that is no delivery. */
    buryRecord: createBuryRecord({ bury, stage: 'dispatcher', log }),
    buryBatchOfEvents: createBuryBatch({ bury, stage: 'fan-out', log }),
    buryBatchOfDeliveries: createBuryBatch({ bury, stage: 'dispatcher', log }),
  };
}
