import { readSchema, topicsOf } from '#lib/contract';
import type { ErasedEvents } from '#lib/erasure';
import { createFanOutMetrics, createMatchNarrow, createPublishEvent, openSubscriberDirectory } from '#lib/fan-out';
import { createEventCodec, createProducer, kafkaAccess } from '#lib/kafka';
import { createPools, postgresAccess } from '#lib/postgres';
import type { Part } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { ApiConfig } from '../config.ts';
import type { ApiMetrics } from '../metrics.ts';
import { createOutboxTable, outboxSessionSettings } from './outbox-table.ts';
import { createOutbox, type Outbox } from './publish-outbox.ts';

/** A separate pool: requests and publishing don't wait for each other. */
const maxConnections = 3;
const statementTimeoutMs = 5_000;
/** It is tried again; a stop waits for no more. */
const codecStartMs = 1_000;

/** The outbox of this process with its parts, leaves first. The API starts without Kafka and without the registry. */
export function openOutbox(
  config: ApiConfig,
  context: ServiceContext,
  { metrics, erased }: { metrics: ApiMetrics; erased: Pick<ErasedEvents, 'has'> },
): { outbox: Outbox; parts: Part[] } {
  const { clock, log, crashPoints } = context;
  const name = 'hookline-api';
  const topics = topicsOf(config.topicPrefix);
  const database = postgresAccess(config);
  const openPool = createPools({ ...database, name, log, metrics: context.metrics });
  const postgres = openPool({
    use: 'outbox',
    maxConnections,
    sessionSettings: outboxSessionSettings,
    statementTimeoutMs,
    isPipelined: 'on-request',
  });
  const producer = (context.createProducer ?? createProducer)({
    ...kafkaAccess(config),
    clientId: name,
    clock,
    log,
    metrics: context.metrics,
    tracer: context.tracer,
    topics: [topics.events, topics.deliveries],
    compression: config.kafkaCompression,
  });
  const { directory, parts: directoryParts } = openSubscriberDirectory({
    database,
    name,
    clock,
    log,
    metrics: context.metrics,
  });
  const fanOutMetrics = createFanOutMetrics(context.metrics);
  const outbox = createOutbox({
    table: createOutboxTable(postgres),
    producer,
    erased,
    async openPublisher() {
      const { schemaRegistryUrl: registryUrl } = config;
      // A codec starts once: a start that has failed needs another.
      const codec = createEventCodec({
        registryUrl,
        topic: topics.events,
        schema: readSchema('events'),
        clock,
        log,
        startTimeoutMs: codecStartMs,
      });
      await codec.start();
      return createPublishEvent({
        matchNarrow: createMatchNarrow(directory, config.fanOutAtOnce),
        encodeEvent: codec.encode,
        topics,
        clock,
        crashPoints,
        metrics: fanOutMetrics,
      });
    },
    onMeasured(measured) {
      metrics.outboxUnpublished.set(measured.unpublished);
      metrics.outboxOldest.set(measured.oldestSeconds);
    },
    crashPoints,
    clock,
    log,
  });
  return { outbox, parts: [postgres, ...directoryParts, producer, outbox] };
}
