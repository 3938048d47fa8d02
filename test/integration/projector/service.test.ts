/** The whole service on real servers: what stands on the four topics, in the wire formats of others, becomes rows. */
import { Registry } from 'prom-client';
import {
  type Attempted,
  type FannedOut,
  deadLetterHeaders,
  duplicateToJson,
  header,
  readSchema,
  topicDefinitions,
  topicsOf,
} from '#lib/contract';
import {
  createAttemptCodec,
  createEventCodec,
  createProducer,
  createTopics,
  partitionOf,
  registerSchemas,
  valueSubject,
} from '#lib/kafka';
import { announceAwaited, awaitedRows, run } from '#lib/event-store';
import { createPostgres, type Postgres } from '#lib/postgres';
import { noCrashPoints, type Part, silentLogger, systemClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { fields } from '../../../services/projector/config.ts';
import { build } from '../../../services/projector/service.ts';
import { readConfig } from '#lib/config';
import { createDatabase, serverAddresses, sessionTimeoutOfTests, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { duplicateFact, eventFact, startAt } from '../../unit/projector/facts.ts';
import { noSend } from '../../support/no-send.ts';

const partitions = 3;
const topicPrefix = uniquePrefix('projector');
const topics = topicsOf(topicPrefix);
const common = { clock: systemClock, log: silentLogger };
const { kafkaBrokers: brokers, schemaRegistryUrl: registryUrl } = serverAddresses();
const kafka = { ...common, brokers, clientId: 'projector-test', metrics: new Registry() };

let postgres: Postgres;
let databaseUrl: string;
const eventCodec = createEventCodec({ ...common, registryUrl, topic: topics.events, schema: readSchema('events') });
const attemptCodec = createAttemptCodec({
  ...common,
  registryUrl,
  topic: topics['delivery.attempts'],
  schema: readSchema('delivery.attempts'),
});
const producer = createProducer(kafka);
const started: Part[] = [];

async function start(parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    started.push(part);
    await part.start();
  }
}

async function stop(parts: readonly Part[]): Promise<void> {
  for (const part of [...parts].reverse()) await part.stop();
}

function projector(env: Record<string, string> = {}): { parts: Part[]; failures: Error[] } {
  const failures: Error[] = [];
  const config = readConfig(fields, {
    HOOKLINE_ENV: 'test',
    HOOKLINE_KAFKA_BROKERS: brokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_KAFKA_SESSION_TIMEOUT_MS: String(sessionTimeoutOfTests),
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    ...env,
  });
  const parts = build(config, {
    ...common,
    metrics: new Registry(),
    tracer: noTracer,
    crashPoints: noCrashPoints,
    fail: (error) => void failures.push(error),
  });
  return { parts: [...parts], failures };
}

beforeAll(async () => {
  databaseUrl = await createDatabase();
  postgres = createPostgres({
    ...common,
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 10_000,
  });
  await createTopics({ brokers }, topicDefinitions({ topicPrefix, partitions, replicationFactor: 1 }), common);
  await registerSchemas(
    (['events', 'delivery.attempts'] as const).map((topic) => ({
      subject: valueSubject(topics[topic]),
      schema: readSchema(topic),
    })),
    { ...common, registryUrl },
  );
  await start([postgres, eventCodec, attemptCodec, producer]);
});
afterAll(() => stop(started));

const setOf = (eventId: string, deliveryIds: readonly string[]): FannedOut => ({
  kind: 'fanned_out',
  tenant: 't',
  event_id: eventId,
  generation: 0,
  at: startAt,
  chunk: null,
  deliveries: deliveryIds.map((id) => ({ delivery_id: id, endpoint_id: `ep of ${id}` })),
});

const retrying = (deliveryId: string, detail: string): Attempted => ({
  ...noSend,
  kind: 'attempted',
  tenant: 't',
  event_id: 'evt',
  generation: 0,
  at: startAt,
  delivery_id: deliveryId,
  endpoint_id: `ep of ${deliveryId}`,
  step: 1,
  attempt: 1,
  status: 'retrying',
  created_at: startAt,
  outcome: 'http_5xx',
  http_status: 500,
  duration_ms: 1,
  detail,
  next_attempt_at: startAt + 5,
  ordering_key: null,
  response_excerpt: null,
  request: null,
  response_headers: null,
  timing: null,
});

const named = { tenant: 't', eventId: 'evt' };
const { event } = eventFact(named);
const duplicate = duplicateFact(named, { origin: 'received-1-7' }) as Extract<
  ReturnType<typeof duplicateFact>,
  { kind: 'duplicate' }
>;
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

async function sendAll(): Promise<void> {
  const send = (topic: string, value: Buffer, headers = {}) => producer.send({ topic, key: 'evt', value, headers });
  await Promise.all([
    send(topics.duplicates, duplicateToJson(duplicate.duplicate)),
    send(topics.events, eventCodec.encode(event), { traceparent }),
    send(topics.events, Buffer.from('this is no Avro'), { [header.tenant]: 't' }),
    send(topics['delivery.attempts'], attemptCodec.encode(setOf('evt', ['dlv_1', 'dlv_2', 'dlv_3']))),
    // Among its neighbours in one batch, one with a text that Postgres can't hold.
    send(topics['delivery.attempts'], attemptCodec.encode(retrying('dlv_1', 'refused'))),
    send(topics['delivery.attempts'], attemptCodec.encode(retrying('dlv_2', 'a NUL: \0'))),
    send(topics['delivery.attempts'], attemptCodec.encode(retrying('dlv_3', 'refused'))),
    send(
      topics['dead-letters'],
      Buffer.from('…'),
      deadLetterHeaders({
        stage: 'dedup',
        reason: 'malformed_record',
        attempts: 1,
        origin: 'received-0-0',
        at: startAt,
      }),
    ),
    send(topics['dead-letters'], Buffer.from('a letter without its headers')),
  ]);
}

/** One more event, with an empty set and a duplicate, each in the partition of all that was sent before. */
async function sendMarker(): Promise<void> {
  const marker = { tenant: 't', eventId: 'marker' };
  const repeat = duplicateFact(marker, { origin: 'received-1-8' }) as typeof duplicate;
  const values = [
    [topics.events, eventCodec.encode(eventFact(marker).event)],
    [topics['delivery.attempts'], attemptCodec.encode(setOf('marker', []))],
    [topics.duplicates, duplicateToJson(repeat.duplicate)],
  ] as const;
  for (const [topic, value] of values) await producer.send({ topic, key: 'evt', value, headers: {} });
}

const shown = async () => ({
  events: await postgres.query('SELECT id, status, duplicates, pending, retrying, traceparent FROM events'),
  waiting: await postgres.query('SELECT delivery_id, partition FROM waiting ORDER BY delivery_id'),
  deadLetters: await postgres.query('SELECT tenant, stage, reason FROM dead_letters ORDER BY stage, reason'),
});

const expected = {
  events: [{ id: 'evt', status: 'processing', duplicates: 1, pending: 1, retrying: 2, traceparent }],
  waiting: ['dlv_1', 'dlv_3'].map((id) => ({ delivery_id: id, partition: partitionOf(`ep of ${id}`, partitions) })),
  deadLetters: [
    { tenant: '*', stage: 'dedup', reason: 'malformed_record' },
    { tenant: 't', stage: 'projector', reason: 'data_invalid' },
    { tenant: 't', stage: 'projector', reason: 'malformed_record' },
  ],
};

async function projected(): Promise<void> {
  let last: unknown;
  await waitUntil(
    'everything is projected',
    async () => {
      last = await shown();
      return JSON.stringify(last) === JSON.stringify(expected);
    },
    { describe: () => JSON.stringify(last, undefined, 1) },
  );
}

test('records become rows; those that can’t become a dead letter, which is found by its tenant', async () => {
  const { parts, failures } = projector();
  await start(parts);
  await sendAll();
  await projected();
  expect(await shown()).toEqual(expected);
  await stop(parts);
  expect(failures).toEqual([]);

  // The same again, to a successor: the offsets are committed, and repeats change nothing.
  const before = await postgres.query('SELECT id, updated_at FROM events');
  const successor = projector();
  await start(successor.parts);
  await sendAll();
  await sendMarker();
  await waitUntil(
    'what stands behind the repeats is projected, on every topic',
    async () =>
      (await postgres.query("SELECT FROM events WHERE id = 'marker' AND duplicates = 1 AND status = 'completed'"))
        .length > 0,
  );
  expect(await postgres.query("SELECT id, updated_at FROM events WHERE id = 'evt'")).toEqual(before);
  await stop(successor.parts);
  expect(successor.failures).toEqual([]);
});

const locks = [
  { what: 'clock is held', seconds: 8, text: `SELECT FROM tenant_clocks WHERE tenant = 'held' FOR UPDATE` },
  { what: 'statistics are locked', seconds: 4, text: `SELECT FROM stats WHERE tenant = 'held' FOR UPDATE` },
] as const;
test.each(locks)(
  'while a tenant’s $what, another’s events are readable within two seconds, and its own come in their order after',
  async ({ what, seconds, text }) => {
    const { parts, failures } = projector();
    await start(parts);
    const send = (tenant: string, eventId: string) => {
      const { event: sent } = eventFact({ tenant, eventId: `${what} ${eventId}` });
      return producer.send({ topic: topics.events, key: 'of both', value: eventCodec.encode(sent), headers: {} });
    };
    const isReadable = (tenant: string, eventId: string) =>
      waitUntil(
        `${eventId} of the tenant ${tenant} is readable`,
        async () => {
          const values = [tenant, `${what} ${eventId}`];
          return (await postgres.query('SELECT FROM events WHERE tenant = $1 AND id = $2', values)).length > 0;
        },
        { everyMs: 20 },
      );
    for (const tenant of ['held', 'free']) {
      await send(tenant, '0');
      await isReadable(tenant, '0');
    }
    const tookMs: number[] = [];
    let sent = 0;
    await postgres.transaction(async (holder) => {
      await holder.query(text);
      for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
        sent += 1;
        const id = String(sent).padStart(3, '0');
        await send('held', id);
        const startedAtMs = Date.now();
        await send('free', id);
        await isReadable('free', id);
        tookMs.push(Date.now() - startedAtMs);
        // Or the server would end a transaction that is idle.
        await holder.query('SELECT 1');
      }
    });
    expect(Math.max(...tookMs)).toBeLessThan(2_000);
    expect(sent).toBeGreaterThan(seconds / 2);
    await isReadable('held', String(sent).padStart(3, '0'));
    const inOrder = await postgres.query<{ id: string }>(
      `SELECT id FROM events WHERE tenant = 'held' AND id LIKE $1 || ' 0%' ORDER BY updated_at`,
      [what],
    );
    const ids = inOrder.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toHaveLength(sent + 1);
    await stop(parts);
    expect(failures).toEqual([]);
  },
  60_000,
);

describe('while records gather for four seconds', () => {
  const tenant = 'gathers';
  let running: ReturnType<typeof projector>;
  let sent = 0;

  beforeAll(async () => {
    running = projector({ HOOKLINE_PROJECTOR_GATHER_MS: '4000' });
    await start(running.parts);
  });
  afterAll(async () => {
    await stop(running.parts);
    expect(running.failures).toEqual([]);
  });

  /** An event that is held back, because another one came just before. */
  async function sendHeldBack(): Promise<{ eventId: string; sentAtMs: number }> {
    const [first = '', second = ''] = [0, 1].map(() => `gathered ${(sent += 1)}`);
    await sendEvent(first);
    await until(first);
    await sendEvent(second);
    return { eventId: second, sentAtMs: performance.now() };
  }
  const sendEvent = (eventId: string) => {
    const value = eventCodec.encode(eventFact({ tenant, eventId }).event);
    return producer.send({ topic: topics.events, key: eventId, value, headers: {} });
  };
  const isThere = async (eventId: string): Promise<boolean> =>
    (await postgres.query('SELECT FROM events WHERE tenant = $1 AND id = $2', [tenant, eventId])).length > 0;
  const until = (eventId: string) => waitUntil(`${eventId} is readable`, () => isThere(eventId), { everyMs: 20 });
  const tookMs = async (eventId: string, sinceMs: number): Promise<number> => {
    await until(eventId);
    return performance.now() - sinceMs;
  };

  test('an event that nobody waits for is readable when the time is up', async () => {
    const { eventId, sentAtMs } = await sendHeldBack();
    const took = await tookMs(eventId, sentAtMs);
    expect(took).toBeGreaterThan(3_000);
    expect(took).toBeLessThan(6_000);
  });

  test('a retry that is due soon has its row, and its event, at once', async () => {
    const { eventId } = await sendHeldBack();
    const dueAt = (Date.now() + 2_000) * 1_000;
    const record = { ...retrying(`dlv of ${eventId}`, 'refused'), tenant, event_id: eventId, next_attempt_at: dueAt };
    const value = attemptCodec.encode(record);
    const sentAtMs = performance.now();
    await producer.send({ topic: topics['delivery.attempts'], key: eventId, value, headers: {} });
    await waitUntil('its row is there', async () => {
      const rows = await postgres.query('SELECT FROM waiting WHERE tenant = $1 AND event_id = $2', [tenant, eventId]);
      return rows.length > 0;
    });
    expect(await tookMs(eventId, sentAtMs)).toBeLessThan(2_000);
  });

  test('a dead letter is there at once, and all that was held back', async () => {
    const { eventId } = await sendHeldBack();
    const facts = { stage: 'dedup', reason: 'malformed_record', attempts: 1, origin: `received-0-${sent}` } as const;
    const headers = { ...deadLetterHeaders({ ...facts, at: startAt }), [header.tenant]: tenant };
    const sentAtMs = performance.now();
    await producer.send({ topic: topics['dead-letters'], key: eventId, value: Buffer.from('…'), headers });
    expect(await tookMs(eventId, sentAtMs)).toBeLessThan(2_000);
  });

  test('what a request waits for, by its tenant, is readable at once, whether it came before or after', async () => {
    const { eventId } = await sendHeldBack();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const saidAtMs = performance.now();
    await run(postgres, announceAwaited, awaitedRows([tenant]));
    expect(await tookMs(eventId, saidAtMs)).toBeLessThan(2_000);
    const sentAtMs = performance.now();
    await sendEvent('waited for');
    expect(await tookMs('waited for', sentAtMs)).toBeLessThan(2_000);
  });
});
