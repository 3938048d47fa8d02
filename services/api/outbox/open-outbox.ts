import { readSchema } from '#deploy/kafka/schemas.ts';
import { topicsOf } from '#lib/contract';
import { createEventCodec, createProducer } from '#lib/kafka';
import type { Part } from '#lib/lifecycle';
import { createPostgres } from '#lib/postgres';
import type { ServiceContext } from '#lib/service-host';
import { Gauge } from '#lib/telemetry';
import type { ApiConfig } from '../config.ts';
import { createOutboxTable, outboxSessionSettings } from './outbox-table.ts';
import { createOutbox, type Outbox } from './publish-outbox.ts';

/** Its own: no request waits for what is published, nor the other way round. */
const maxConnections = 3;
const statementTimeoutMs = 5_000;
/** It is tried again; a stop waits for no more. */
const codecStartMs = 1_000;

/** The outbox of this process and what it needs, leaves first. The API starts without Kafka and without the registry. */
export function openOutbox(config: ApiConfig, context: ServiceContext): { outbox: Outbox; parts: Part[] } {
  const { clock, log, crashPoints } = context;
  const name = 'hookline-api';
  const topic = topicsOf(config.topicPrefix).events;
  const postgres = createPostgres({
    url: config.databaseUrl,
    applicationName: `${name}-outbox`,
    maxConnections,
    sessionSettings: outboxSessionSettings,
    statementTimeoutMs,
    log,
  });
  const producer = createProducer({
    brokers: config.kafkaBrokers,
    clientId: name,
    clock,
    log,
    metrics: context.metrics,
    topics: [topic],
  });
  const registers = [context.metrics];
  const unpublished = new Gauge({
    name: 'hookline_outbox_unpublished',
    help: 'Events that POST /v1/events has taken and that are not on their topic yet, of all processes',
    registers,
  });
  const oldest = new Gauge({
    name: 'hookline_outbox_oldest_seconds',
    help: 'How long the oldest of them has waited; 0 where there is none',
    registers,
  });
  const outbox = createOutbox({
    table: createOutboxTable(postgres),
    producer,
    topic,
    async openEncoder() {
      const { schemaRegistryUrl: registryUrl } = config;
      // A codec starts once: a start that has failed needs another.
      const codec = createEventCodec({
        registryUrl,
        topic,
        schema: readSchema('events'),
        clock,
        log,
        startTimeoutMs: codecStartMs,
      });
      await codec.start();
      return codec.encode;
    },
    onMeasured(measured) {
      unpublished.set(measured.unpublished);
      oldest.set(measured.oldestSeconds);
    },
    crashPoints,
    clock,
    log,
  });
  return { outbox, parts: [postgres, producer, outbox] };
}
