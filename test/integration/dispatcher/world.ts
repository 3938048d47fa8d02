/**
 * The dispatcher and the projector on real servers, with events on their topic as dedup writes them, and a receiver.
 */
import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Fields, readConfig } from '#lib/config';
import {
  type DeliveryStatus,
  type EndpointSettings,
  type EventRecord,
  header,
  privateContext,
  readSchema,
  secretsContext,
  splitSettings,
  topicDefinitions,
  type TopicName,
  topicsOf,
} from '#lib/contract';
import { createEventCodec, createProducer, createTopics, registerSchemas, valueSubject } from '#lib/kafka';
import { createPostgres } from '#lib/postgres';
import { createId, formatMicros, noCrashPoints, type Part, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import { generateSecret } from '#lib/signatures';
import { newTraceparent, noTracer, Metrics } from '#lib/telemetry';
import { fields as dedupFields } from '../../../services/dedup/config.ts';
import { build as buildDedup } from '../../../services/dedup/service.ts';
import { fields as dispatcherFields } from '../../../services/dispatcher/config.ts';
import { build as buildDispatcher } from '../../../services/dispatcher/service.ts';
import { fields as projectorFields } from '../../../services/projector/config.ts';
import { build as buildProjector } from '../../../services/projector/service.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { startReceiver } from '../../support/receiver.ts';
import { createDatabase, serverAddresses, sessionTimeoutOfTests, uniquePrefix } from '../../support/servers.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

export interface TestEndpoint {
  id: string;
  secret: string;
  name: string;
}

export interface DeliveryRow {
  event_id: string;
  endpoint_id: string;
  status: DeliveryStatus;
  step: number;
  attempts: number;
  detail: string | null;
}

const usualTenant = 'acme';
const root = join(import.meta.dirname, '../../..');

interface WorldOptions {
  partitions?: number;
  /** If it differs from a topic's default. */
  maxMessageBytes?: Partial<Record<TopicName, number>>;
  /** That of another process that seals or opens the same. */
  encryptionKey?: string;
}

export async function createWorld(
  name: string,
  {
    partitions = 3,
    maxMessageBytes = {},
    encryptionKey = `test:${randomBytes(32).toString('base64')}`,
  }: WorldOptions = {},
) {
  const { kafkaBrokers: brokers, schemaRegistryUrl: registryUrl, redisUrl } = serverAddresses();
  const topicPrefix = uniquePrefix(name);
  const topics = topicsOf(topicPrefix);
  const databaseUrl = await createDatabase();
  const secretBox = createSecretBox(parseEncryptionKeys([encryptionKey]));
  const common = { clock: systemClock, log: silentLogger, tracer: noTracer };
  const env = {
    HOOKLINE_ENV: 'test',
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_KAFKA_BROKERS: brokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_KAFKA_SESSION_TIMEOUT_MS: String(sessionTimeoutOfTests),
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_REDIS_URL: redisUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_ENCRYPTION_KEYS: encryptionKey,
    HOOKLINE_ALLOW_HTTP: 'true',
    HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  };

  const limits = new Map(Object.entries(maxMessageBytes).map(([topic, bytes]) => [`${topicPrefix}${topic}`, bytes]));
  const definitions = topicDefinitions({ topicPrefix, partitions, replicationFactor: 1 }).map((topic) => {
    const bytes = limits.get(topic.name);
    return bytes === undefined ? topic : { ...topic, config: { ...topic.config, 'max.message.bytes': String(bytes) } };
  });
  await createTopics({ brokers }, definitions, common);
  await registerSchemas(
    (['events', 'delivery.attempts'] as const).map((topic) => ({
      subject: valueSubject(topics[topic]),
      schema: readSchema(topic),
    })),
    { ...common, registryUrl },
  );
  const postgres = createPostgres({
    ...common,
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 10_000,
  });
  const eventCodec = createEventCodec({ ...common, registryUrl, topic: topics.events, schema: readSchema('events') });
  const producer = createProducer({ ...common, brokers, clientId: 'test', metrics: new Metrics() });
  const receiver = await startReceiver();
  const failures: Error[] = [];
  const stops: (() => Promise<unknown>)[] = [() => receiver.stop()];

  async function startParts(parts: readonly Part[]): Promise<{ stop(): Promise<void> }> {
    for (const part of parts) await part.start();
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopping ??= (async () => {
        for (const part of [...parts].reverse()) await part.stop();
      })());
    stops.push(stop);
    return { stop };
  }

  function startService<F extends Fields>(
    fields: F,
    build: (config: ReturnType<typeof readConfig<F>>, context: ServiceContext) => readonly Part[],
    more: Record<string, string> = {},
  ) {
    const metrics = new Metrics();
    const fail = (error: Error): void => void failures.push(error);
    const context = { ...common, metrics, crashPoints: noCrashPoints, fail };
    return startParts(build(readConfig(fields, { ...env, ...more }), context)).then(({ stop }) => ({ stop, metrics }));
  }

  await startParts([postgres, eventCodec, producer]);

  return {
    topics,
    topicPrefix,
    databaseUrl,
    postgres,
    producer,
    receiver,
    failures,

    /** Stopped with the world. */
    startParts,
    startDispatcher: (more?: Record<string, string>) => startService(dispatcherFields, buildDispatcher, more),
    startDedup: (more?: Record<string, string>) => startService(dedupFields, buildDedup, more),
    startProjector: (more?: Record<string, string>) => startService(projectorFields, buildProjector, more),

    /** A service as a process of its own, which a crash point can kill. */
    async spawnService(
      service: 'dispatcher' | 'projector' | 'api',
      more: Record<string, string> = {},
    ): Promise<ServiceProcess & { adminUrl: string; lines: string[] }> {
      const [adminPort = 0] = await freePorts(1);
      const adminUrl = `http://127.0.0.1:${adminPort}`;
      const lines: string[] = [];
      const reaper = startOrphanReaper();
      const child = startServiceProcess({
        name: service,
        args: [`services/${service}/main.ts`],
        cwd: root,
        env: { ...env, HOOKLINE_ADMIN_PORT: String(adminPort), ...more },
        adminUrls: [adminUrl],
        onLine: (line) => lines.push(line),
        reaper,
      });
      void child.exited.then(() => reaper.stop());
      stops.push(() => child.stop(10_000));
      return { ...child, adminUrl, lines };
    },

    async addEndpoint(
      endpointName: string,
      settings: EndpointSettings = {},
      {
        createdAgoMs = 3_600_000,
        url = receiver.url(endpointName),
        sourceIds = [] as string[],
        eventTypes = [] as string[],
        filter = null as object | null,
        tenant = usualTenant,
      } = {},
    ): Promise<TestEndpoint> {
      const endpoint = { id: createId('ep', Date.now()), secret: generateSecret(), name: endpointName };
      const createdAt = formatMicros((Date.now() - createdAgoMs) * 1_000);
      const secrets = secretBox.seal(
        JSON.stringify([{ secret: endpoint.secret }]),
        secretsContext('endpoints', tenant, endpoint.id),
      );
      const { settings: shown, private: hidden } = splitSettings(settings);
      const sealed = hidden && secretBox.seal(JSON.stringify(hidden), privateContext(tenant, endpoint.id));
      await postgres.query(
        `INSERT INTO endpoints (tenant, id, url, event_types, source_ids, filter, settings, private, secrets, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [tenant, endpoint.id, url, eventTypes, sourceIds, filter, JSON.stringify(shown), sealed, secrets, createdAt],
      );
      receiver.register(endpointName, endpoint);
      return endpoint;
    },

    /** Adds endpoints with one URL, which get the events of one source; nothing verifies their requests. */
    async addEndpoints(count: number, sourceId: string): Promise<void> {
      const tenant = usualTenant;
      const createdAtMs = Date.now() - 3_600_000;
      const perInsert = 5_000;
      for (let added = 0; added < count; added += perInsert) {
        const ids = Array.from({ length: Math.min(perInsert, count - added) }, () => createId('ep', createdAtMs));
        const secrets = ids.map((id) =>
          secretBox.seal(JSON.stringify([{ secret: generateSecret() }]), secretsContext('endpoints', tenant, id)),
        );
        await postgres.query(
          `INSERT INTO endpoints (tenant, id, url, source_ids, secrets, created_at)
           SELECT $1, id, $2, ARRAY[$3], secrets, $4 FROM unnest($5::text[], $6::bytea[]) AS e (id, secrets)`,
          [tenant, receiver.url('many'), sourceId, formatMicros(createdAtMs * 1_000), ids, secrets],
        );
      }
    },

    /** Events of one source, accepted now. */
    async publish(
      count: number,
      payloadOf = (index: number): Buffer => Buffer.from(`{"event":${index}}`),
      sourceId = 'src_1',
      orderingKeyOf = (_index: number): string | null => null,
      tenant = usualTenant,
    ): Promise<EventRecord[]> {
      const events = Array.from({ length: count }, (_, index): EventRecord => {
        const id = createId('evt', Date.now());
        return {
          id,
          tenant,
          source_id: sourceId,
          event_id: null,
          type: 'order.created',
          receipt_id: createId('rcp', Date.now()),
          origin: `${topics['webhooks.received']}-0-${id}`,
          received_at: Date.now() * 1_000,
          dedup_key: randomBytes(16),
          content_type: 'application/json',
          content_encoding: null,
          http_headers: {},
          request: null,
          tags: {},
          ordering_key: orderingKeyOf(index),
          payload: payloadOf(index),
        };
      });
      await Promise.all(
        events.map((event) =>
          producer.send({
            topic: topics.events,
            key: event.ordering_key ?? event.id,
            value: eventCodec.encode(event),
            headers: { [header.traceparent]: newTraceparent(undefined) },
          }),
        ),
      );
      return events;
    },

    async deliveries(): Promise<DeliveryRow[]> {
      return postgres.query<DeliveryRow>(
        'SELECT event_id, endpoint_id, status, step, attempts, detail FROM deliveries ORDER BY event_id, endpoint_id',
      );
    },

    /** Waits until so many deliveries stand at this. */
    async standing(status: DeliveryStatus, count: number): Promise<void> {
      const find = async () => (await this.deliveries()).filter((row) => row.status === status).length === count;
      await waitUntil(`${count} are ${status}`, find);
    },

    /** Waits until so many deliveries have ended, and gives all. */
    async ended(count: number): Promise<DeliveryRow[]> {
      let rows: DeliveryRow[] = [];
      const counts = (): string =>
        JSON.stringify(
          Object.entries(Object.groupBy(rows, ({ status }) => status)).map(([status, of]) => [status, of?.length]),
        );
      await waitUntil(
        `${count} deliveries have ended`,
        async () => {
          if (failures[0] !== undefined) throw failures[0];
          rows = await this.deliveries();
          return (
            rows.filter(({ status }) => ['delivered', 'dead_lettered', 'cancelled'].includes(status)).length >= count
          );
        },
        { describe: counts },
      );
      return rows;
    },

    arrivalsOf: (endpoint: TestEndpoint) => receiver.arrivals.filter(({ endpointId }) => endpointId === endpoint.id),

    async stop(): Promise<void> {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

export const sha256 = (bytes: Buffer): string => hash('sha256', bytes);
