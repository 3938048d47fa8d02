import { topicsOf } from '#lib/contract';
import { createHttpServer } from '#lib/http-server';
import { createProducer } from '#lib/kafka';
import type { Part } from '#lib/lifecycle';
import { createPostgres } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import { buildApp } from './app.ts';
import type { IngressConfig } from './config.ts';
import { createIngressMetrics } from './ingress-metrics.ts';
import { createRandomPool } from './random-pool.ts';
import { createSourceDirectory } from './source-directory.ts';

/** A sender hears within two seconds whether its webhook is durable; the rest is for reading, hashing and answering. */
const deliveryTimeoutMs = 1_800;
/**
 * After which a connection to a broker that does not answer is renewed. No sender waits for it by then, and the next ones should not find
 * the same connection.
 */
const requestTimeoutMs = 5_000;
/** Below the time after which a look-up is given up, so that one slow reading does not hold up the next. */
const statementTimeoutMs = 1_000;

/** The ingress's parts, leaves first; see README.md for how a webhook runs through them. */
export function build(config: IngressConfig, context: ServiceContext): Part[] {
  const { log, clock, crashPoints } = context;
  const topic = topicsOf(config.topicPrefix)['webhooks.received'];
  const postgres = createPostgres({
    url: config.databaseUrl,
    applicationName: 'hookline-ingress',
    maxConnections: 2,
    statementTimeoutMs,
    log,
  });
  const sources = createSourceDirectory({
    postgres,
    secretBox: createSecretBox(parseEncryptionKeys(config.encryptionKeys)),
    clock,
    log,
  });
  const producer = createProducer({
    brokers: config.kafkaBrokers,
    clientId: 'hookline-ingress',
    clock,
    log,
    metrics: context.metrics,
    topics: [topic],
    deliveryTimeoutMs,
    requestTimeoutMs,
    maxPendingBytes: config.maxPendingBytes,
  });
  const app = buildApp({
    sources,
    producer,
    topic,
    clock,
    random: createRandomPool(),
    crashPoints,
    metrics: createIngressMetrics(context.metrics, () => producer.pending().records),
    log,
    bodyTimeoutMs: config.bodyTimeoutMs,
    maxReadingBytes: config.maxReadingBytes,
  });
  return [postgres, sources, producer, createHttpServer({ app, host: config.host, port: config.port })];
}
