/** Stored answers and replays that name what was erased, in Postgres and in Redis. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createForgetResponses, createPostgresStore, createRedisResponses, rememberingStore } from '#lib/idempotency';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createRedis, type Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { testSecretBox } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { closePostgres } from '../projector/projection.ts';
import { stepsOver, workOff } from './erasing-api.ts';

const prefix = uniquePrefix('erase-names');
let redis: Redis;
let postgres: Postgres;
let api: OpenApi;
beforeAll(async () => {
  redis = createRedis({ url: serverAddresses().redisUrl, name: 'test', clock: systemClock, log: silentLogger });
  await redis.start();
  const memory = createRedisResponses({ redis, prefix, secretBox: testSecretBox, clock: systemClock });
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'hookline-test',
    maxConnections: 4,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  const seconds = { lockSeconds: 90, ttlSeconds: 3_600 };
  const store = createPostgresStore({ postgres, secretBox: testSecretBox, random: randomBytes, ...seconds });
  const idempotency = { lockSeconds: 90, store: rememberingStore({ store, memory, ttlSeconds: 3_600 }) };
  api = await openApi({ idempotency, postgres, clock: systemClock });
  Object.assign(api, { postgres });
});
afterAll(async () => {
  await api.close();
  await closePostgres(postgres);
  await redis.stop();
});

test('an answer that names an event is 410 afterwards, for a retry too, and its request is not carried out again', async () => {
  const tenant = 'named';
  const marker = `marker-${randomUUID()}`;
  const keyed = (path: string, key: string, body: object) =>
    api.ask({ method: 'POST', path, body, tenant, headers: { 'idempotency-key': key } });
  const event = { type: 'a.b', payload: { marker }, event_id: marker };
  const published = await keyed('/v1/events', 'publish', event);
  const { id } = published.json<{ id: string }>();
  const preview = { event_type: marker, reason: 'x'.repeat(150) };
  const about = await keyed('/v1/dead-letters/replay', 'replay', preview);
  const other = await keyed('/v1/dead-letters/replay', 'other', { ...preview, event_type: 'another' });
  expect([about.status, other.status]).toEqual([202, 202]);
  const replays = async () => (await api.ask({ path: '/v1/replays', tenant })).text;
  expect(await replays()).toContain(marker);
  await waitUntil(
    'Redis has the answers',
    async () => (await keyed('/v1/dead-letters/replay', 'replay', preview)).status === 202,
  );

  const { id: erasure } = (await api.ask({ method: 'DELETE', path: `/v1/events/${id}`, tenant })).json<{
    id: string;
  }>();
  const step = stepsOver(api, { forget: createForgetResponses(redis, prefix) });
  expect((await workOff(api, tenant, erasure, step)).removed).toMatchObject({ replays: 1, idempotency_keys: 1 });

  const again = await keyed('/v1/dead-letters/replay', 'replay', preview);
  expect([again.status, again.text]).toEqual([410, expect.not.stringContaining(marker)]);
  expect(await replays()).not.toContain(marker);
  expect((await keyed('/v1/dead-letters/replay', 'other', { ...preview, event_type: 'another' })).status).toBe(202);
  // The event is still the answer to the request that published it.
  expect((await keyed('/v1/events', 'publish', event)).json()).toEqual({ id });
});
