import { createApiMetrics } from '../../../services/api/metrics.ts';
import { Registry } from 'prom-client';
import { readConfig } from '#lib/config';
import { type EventRecord, readSchema, topicDefinitions, topicsOf } from '#lib/contract';
import { createConsumer, createEventCodec, createTopics, registerSchemas, valueSubject } from '#lib/kafka';
import { noCrashPoints, type Part, silentLogger, systemClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { fields } from '../../../services/api/config.ts';
import { openOutbox } from '../../../services/api/outbox/open-outbox.ts';
import { createOutboxTable, type OutboxTable, type StoredEvent } from '../../../services/api/outbox/outbox-table.ts';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createTopic, startOutbox, type Topic } from './publishing.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const timeoutMs = 30_000;
let api: OpenApi;
const running: Part[] = [];
beforeAll(async () => {
  api = await openApi();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((part) => part.stop()));
  await api.postgres.query('DELETE FROM outbox');
}, timeoutMs);
afterAll(() => api.close());

async function publish(
  given: { event_id?: string; ordering_key?: string; payload?: unknown; tags?: object } = {},
  tenant = 'default',
) {
  const body = { type: 'order.paid', payload: {}, ...given };
  const answer = await api.ask({ method: 'POST', path: '/v1/events', body, tenant });
  expect(answer.status).toBe(202);
  return answer.json<{ id: string }>().id;
}

const rows = async (): Promise<number> => (await createOutboxTable(api.postgres).measure()).unpublished;
const isEmpty = () => waitUntil('the outbox is empty', async () => (await rows()) === 0);

async function start(topic: Topic, table?: Partial<OutboxTable>) {
  const outbox = await startOutbox(api, topic, table && { table });
  running.push(outbox);
  return outbox;
}

const claimsEnd = () => api.postgres.query(`UPDATE outbox SET claimed_until = clock_timestamp()`);

describe('what was published', () => {
  test('goes to its topic once, from several processes, each key in its order, whatever it comes among', async () => {
    const tenants = ['one', 'two'];
    const keys = ['a', 'b', 'c'];
    const expected = new Map<string, string[]>();
    const unordered: string[] = [];
    for (let n = 0; n < 20; n += 1)
      for (const tenant of tenants) {
        for (const ordering_key of keys) {
          const id = await publish({ ordering_key }, tenant);
          expected.set(tenant + ordering_key, [...(expected.get(tenant + ordering_key) ?? []), id]);
        }
        unordered.push(await publish({}, tenant));
      }
    const topic = createTopic(() => Math.random() * 5);
    for (let n = 0; n < 3; n += 1) await start(topic);
    await isEmpty();
    expect(topic.events).toHaveLength(160);
    expect(new Set(topic.events.map(({ id }) => id)).size).toBe(160);
    const published = Map.groupBy(topic.events, ({ tenant, ordering_key }) => tenant + String(ordering_key));
    for (const [key, ids] of expected) expect(published.get(key)?.map(({ id }) => id)).toEqual(ids);
    expect(
      topic.events
        .filter(({ ordering_key }) => ordering_key === null)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(unordered.sort());
  });

  test('waits while Kafka is away, is answered for all the same, and goes when it is back, in its order', async () => {
    const topic = createTopic();
    topic.setAway(true);
    const outbox = await start(topic);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push(await publish({ ordering_key: 'k' }));
      outbox.wake();
    }
    const { unpublished, oldestSeconds } = await createOutboxTable(api.postgres).measure();
    expect(unpublished).toBe(5);
    expect(oldestSeconds).toBeGreaterThan(0);
    topic.setAway(false);
    await isEmpty();
    expect(topic.idsOfKey('k')).toEqual(ids);
  });

  test('goes as soon as the process that took it is told, not only at its next look', async () => {
    const topic = createTopic();
    const outbox = await start(topic);
    const publishedWithinMs = async (): Promise<number> => {
      // The outbox has just found nothing: its next look by itself is a second away.
      await systemClock.sleep(100);
      const id = await publish();
      const beganAtMs = performance.now();
      outbox.wake();
      await waitUntil('it is published', () => topic.events.some((event) => event.id === id), { everyMs: 5 });
      return performance.now() - beganAtMs;
    };
    expect(await fastestOfThreeMs(publishedWithinMs)).toBeLessThan(250);
  });

  test('is published before a stop has ended', async () => {
    const topic = createTopic();
    const outbox = await start(topic);
    const id = await publish();
    outbox.wake();
    await outbox.stop();
    expect(topic.events.map((event) => event.id)).toContain(id);
    expect(await rows()).toBe(0);
  });
});

describe('a process that dies', () => {
  test('with its claims leaves them to another, once they have ended', async () => {
    const [first, second] = [await publish({ ordering_key: 'k' }), await publish({ ordering_key: 'k' })];
    const other = await publish();
    const dead = createOutboxTable(api.postgres);
    expect((await dead.claimOrdered(10, undefined)).map(({ id }) => id)).toEqual([first]);
    expect((await dead.claimUnordered(10)).map(({ id }) => id)).toEqual([other]);
    // No event of this key can be claimed by others, nor can the one after the first.
    expect(await dead.claimOrdered(10, undefined)).toEqual([]);
    expect(await dead.claimUnordered(10)).toEqual([]);

    const topic = createTopic();
    await claimsEnd();
    await start(topic);
    await isEmpty();
    expect(topic.idsOfKey('k')).toEqual([first, second]);
    expect(topic.events).toHaveLength(3);
  });

  test('after it has published has the event published again, under the same id', async () => {
    const id = await publish({ event_id: 'twice' });
    const topic = createTopic();
    const dying = await start(topic, {
      remove: async () => {
        throw new Error('died');
      },
    });
    await waitUntil('it is published', () => topic.events.length > 0);
    await dying.stop();
    expect(await rows()).toBe(1);
    await claimsEnd();
    await start(topic);
    await isEmpty();
    expect(topic.events.map((event) => event.id)).toEqual([id, id]);
  });

  test('late, releases nothing that another has claimed since', async () => {
    await publish();
    const table = createOutboxTable(api.postgres);
    const late = await table.claimUnordered(1);
    await claimsEnd();
    expect(await table.claimUnordered(1)).toHaveLength(1);
    await table.release(late);
    expect(await table.claimUnordered(1)).toEqual([]);
  });
});

test('keys that others publish hold up no key after them', async () => {
  for (const ordering_key of ['a', 'b', 'c', 'd']) await publish({ ordering_key });
  const table = createOutboxTable(api.postgres);
  const keysOf = (claimed: readonly StoredEvent[]) => claimed.map(({ ordering_key }) => ordering_key);
  expect(keysOf(await table.claimOrdered(2, undefined))).toEqual(['a', 'b']);
  expect(keysOf(await table.claimOrdered(2, undefined))).toEqual(['c', 'd']);
});

/** Claims any event of a key, and so several processes those of one. */
const claimAny =
  (table: OutboxTable): OutboxTable['claimOrdered'] =>
  async (limit) => {
    await api.postgres.query('UPDATE outbox SET ordering_key = NULL WHERE ordering_key IS NOT NULL');
    return table.claimUnordered(limit);
  };

test('order is seen to break where not the first of a key alone is claimed', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(await publish({ ordering_key: 'k' }));
  const topic = createTopic(() => Math.random() * 5);
  await start(topic, { claimOrdered: claimAny(createOutboxTable(api.postgres)) });
  await isEmpty();
  expect(topic.idsOfKey('k')).not.toEqual(ids);
});

test('the records on the real topic are those that dedup would have written', async () => {
  const { kafkaBrokers: brokers, schemaRegistryUrl: registryUrl } = serverAddresses();
  const topicPrefix = uniquePrefix('outbox');
  const topic = topicsOf(topicPrefix).events;
  const common = { clock: systemClock, log: silentLogger };
  const definitions = topicDefinitions({ topicPrefix, partitions: 3, replicationFactor: 1 });
  await createTopics(
    { brokers },
    definitions.filter(({ name }) => name === topic),
    common,
  );
  const config = readConfig(fields, {
    HOOKLINE_ENV: 'test',
    HOOKLINE_KAFKA_BROKERS: brokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_DATABASE_URL: api.databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_ADMIN_KEY: 'an-admin-key-for-tests',
    HOOKLINE_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const metrics = new Registry();
  const context = { ...common, metrics, tracer: noTracer, crashPoints: noCrashPoints, fail: () => undefined };
  const { parts } = openOutbox(config, context, {
    metrics: createApiMetrics(metrics),
    erased: { has: () => false },
  });
  const id = await publish({ event_id: 'mine', ordering_key: 'key', payload: { n: 1 }, tags: { customer: 'cus_1' } });
  const other = await publish();

  // The registry does not know the schema yet: the API starts all the same, and publishes when it does.
  for (const part of parts) {
    running.unshift(part);
    await part.start();
  }
  const schema = readSchema('events');
  await registerSchemas([{ subject: valueSubject(topic), schema }], { ...common, registryUrl });
  const codec = createEventCodec({ ...common, registryUrl, topic, schema });
  await codec.start();
  const found: { key: string; event: EventRecord; traceparent: string | undefined }[] = [];
  const consumer = createConsumer({
    ...common,
    brokers,
    clientId: 'test',
    groupId: `${topicPrefix}reader`,
    topics: [topic],
    metrics: new Registry(),
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      for (const record of records) {
        const { key, value, headers } = record;
        found.push({ key: String(key), event: await codec.decode(value), traceparent: headers['traceparent'] });
        record.done();
      }
    },
    onFailure: (error) => {
      throw error;
    },
  });
  running.push(consumer);
  await consumer.start();
  await waitUntil('both are on the topic', () => found.length >= 2);
  const first = found.find(({ event }) => event.id === id);
  expect(first).toEqual({
    key: 'key',
    traceparent: expect.stringMatching(/^00-/) as string,
    event: {
      id,
      tenant: 'default',
      source_id: 'api',
      event_id: 'mine',
      type: 'order.paid',
      receipt_id: expect.stringMatching(/^rcp_/) as string,
      origin: `api:${id}`,
      received_at: expect.any(Number) as number,
      dedup_key: expect.any(Buffer) as Buffer,
      content_type: 'application/json',
      content_encoding: null,
      http_headers: {},
      ordering_key: 'key',
      payload: Buffer.from('{"n":1}'),
      request: null,
      tags: { customer: 'cus_1' },
    },
  });
  expect(found.find(({ event }) => event.id === other)?.key).toBe(other);
  await isEmpty();
});
