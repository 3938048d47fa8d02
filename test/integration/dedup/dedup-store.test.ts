import {
  type Candidate,
  createDedupStore,
  createPostgresKeyTable,
  createRedisKeyMemory,
  type KeyTable,
} from '#lib/dedup-store';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createRedis, type Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, uniquePrefix } from '../../support/servers.ts';
import { candidateOf, second } from '../../unit/dedup-store/candidates.ts';
import { describeKeyMemory } from '../../unit/dedup-store/key-memory-conformance.ts';
import { describeKeyTable } from '../../unit/dedup-store/key-table-conformance.ts';
import { type OwnRedis, startOwnRedis } from './redis-server.ts';

let server: OwnRedis;
let redis: Redis;
let postgres: Postgres;
let table: KeyTable;
beforeAll(async () => {
  server = await startOwnRedis();
  // Generous: a busy machine must not turn these into tests of the time limit.
  redis = createRedis({ url: server.url, name: 'test', clock: systemClock, log: silentLogger, timeLimitMs: 5_000 });
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'test',
    maxConnections: 8,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  await Promise.all([redis.start(), postgres.start()]);
  table = createPostgresKeyTable(postgres);
});
afterAll(async () => {
  await Promise.all([redis.stop(), postgres.stop()]);
  await server.stop();
});

const databaseMicros = async (): Promise<number> => {
  const [row] = await postgres.query<{ micros: string }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros',
  );
  return Number(row?.micros);
};

describeKeyTable('Postgres', async () => {
  await postgres.query('TRUNCATE dedup_keys');
  return { table, now: databaseMicros };
});

describeKeyMemory('Redis', () => ({
  memory: createRedisKeyMemory(redis, uniquePrefix('dedup')),
  now: () => Date.now() * 1000,
  pass: (ms) => delay(ms),
}));

describe('the key table in Postgres', () => {
  beforeEach(() => postgres.query('TRUNCATE dedup_keys'));

  const batch = (size: number): Candidate[] =>
    Array.from({ length: size }, (_, offset) => candidateOf({ id: `id ${offset}`, offset }));
  /** The same keys, each as if another record had brought it. */
  const rivalsOf = (candidates: Candidate[]): Candidate[] =>
    candidates.map((candidate, index) => ({ ...candidate, eventId: `evt_rival_${index}` }));

  it('takes two batches of the same keys in opposite orders at once, and gives every key to one of them', async () => {
    for (let round = 0; round < 20; round += 1) {
      await postgres.query('TRUNCATE dedup_keys');
      const ours = batch(300);
      const [forward, backward] = await Promise.all([
        table.insert(ours),
        table.insert(rivalsOf(ours).reverse()).then((added) => added.reverse()),
      ]);
      expect(ours.filter((_, index) => forward[index] === backward[index])).toEqual([]);
    }
  });

  it('completes and takes over in opposite orders at once, without a deadlock', async () => {
    for (let round = 0; round < 10; round += 1) {
      await postgres.query('TRUNCATE dedup_keys');
      const ours = batch(300).map((candidate) => ({ ...candidate, ttlSeconds: 0 }));
      await table.insert(ours);
      await Promise.all([table.complete(ours), table.complete([...ours].reverse())]);
      const receivedAt = (await databaseMicros()) + second;
      const wanted = rivalsOf(ours).map((candidate) => ({ candidate: { ...candidate, receivedAt }, generation: 0 }));
      const [forward, backward] = await Promise.all([
        table.takeOver(wanted),
        table.takeOver([...wanted].reverse()).then((taken) => taken.reverse()),
      ]);
      expect(wanted.filter((_, index) => forward[index] === backward[index])).toEqual([]);
    }
  });

  // The same without the order of keys shows what it is for.
  it('would deadlock if batches took their keys in the order that they came in', async () => {
    await postgres.query(`
      CREATE OR REPLACE FUNCTION slow_key() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$`);
    await postgres.query('CREATE TRIGGER slow AFTER INSERT ON dedup_keys FOR EACH ROW EXECUTE FUNCTION slow_key()');
    const unsorted = (candidates: Candidate[]) =>
      postgres.transaction(async (tx) => {
        for (const { tenant, key, origin, eventId, bodyHash } of candidates)
          await tx.query(
            `INSERT INTO dedup_keys (tenant, key, origin, event_id, body_hash) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
            [tenant, key, origin, eventId, bodyHash],
          );
      });
    try {
      const ours = batch(4);
      const inOppositeOrders = (insert: (candidates: Candidate[]) => Promise<unknown>) =>
        Promise.allSettled([insert(ours), insert([...ours].reverse())]);
      const outcomes = await inOppositeOrders(unsorted);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'store_unavailable', message: expect.stringContaining('40P01') as unknown },
      });
      await postgres.query('TRUNCATE dedup_keys');
      const sorted = await inOppositeOrders((candidates) => table.insert(candidates));
      expect(sorted.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    } finally {
      await postgres.query('DROP TRIGGER slow ON dedup_keys');
    }
  });

  it('does not give away a key that was swept and inserted anew since it was seen, though its generation is the same', async () => {
    const [old] = batch(1) as [Candidate];
    await table.complete([{ ...old, ttlSeconds: 0 }]);
    const receivedAt = (await databaseMicros()) + second;
    expect(await table.dropExpired(-10, 10)).toBe(1);
    const [anew] = rivalsOf([old]) as [Candidate];
    await table.insert([anew]);
    expect(await table.takeOver([{ candidate: { ...old, receivedAt }, generation: 0 }])).toEqual([false]);
    expect(await table.read([anew])).toMatchObject([{ eventId: anew.eventId, generation: 0, expiresAt: null }]);
  });

  it('refuses a NUL as data, and is not harmed by one in an identifier: that is hashed', async () => {
    await expect(table.insert([candidateOf({ id: 'a', offset: 1, tenant: 'a\0b' })])).rejects.toMatchObject({
      code: 'data_invalid',
    });
    expect(await table.insert([candidateOf({ id: 'a\0b', offset: 1 })])).toEqual([true]);
  });

  it('keeps the microseconds of an expiry', async () => {
    const [candidate] = batch(1) as [Candidate];
    const [expiresAt = 0] = await table.complete([candidate]);
    const [row] = await postgres.query<{ micros: string }>(
      'SELECT (extract(epoch FROM expires_at) * 1000000)::bigint AS micros FROM dedup_keys',
    );
    expect(expiresAt).toBe(Number(row?.micros));
  });
});

describe('the store on Redis and Postgres', () => {
  it('remembers in Redis until shortly before the row’s expiry, and never beyond', async () => {
    const prefix = uniquePrefix('dedup');
    const store = createDedupStore({ memory: createRedisKeyMemory(redis, prefix), table });
    const candidate = candidateOf({ id: 'expiry', offset: 1, receivedAt: Date.now() * 1000, ttlSeconds: 60 });
    await store.decide([candidate]);
    await store.complete([candidate]);
    const [verdict] = await store.recall([{ ...candidate, eventId: 'evt_rival' }]);
    expect(verdict).toMatchObject({ kind: 'duplicate', holder: { eventIdEnd: candidate.eventId.slice(-2) } });
    const [row] = await table.read([candidate]);
    const lead = (row?.expiresAt ?? 0) - (verdict?.expiresAt ?? 0);
    expect(lead).toBeGreaterThanOrEqual(0);
    expect(lead).toBeLessThan(2.048 * second);
  });

  // For other numbers: `npm run -s dedup-memory`. Redis doubles its tables at powers of two; here they are three quarters full.
  it('takes no more than 110 bytes of Redis’s memory for a key, all in', async () => {
    const memory = createRedisKeyMemory(redis, 'hookline.');
    const usedBytes = async (): Promise<number> =>
      Number(/^used_memory:(\d+)/m.exec(await server.command('INFO', 'memory'))?.[1]);
    await server.command('FLUSHALL');
    const before = await usedBytes();
    const count = 100_000;
    for (let from = 0; from < count; from += 5_000) {
      const keys = Array.from({ length: 5_000 }, (_, index) => {
        const { key, eventId, bodyHash } = candidateOf({ id: `id ${from + index}`, offset: from + index });
        return { key, eventId, bodyHash, expiresAt: (Date.now() + 3_600_000) * 1000 };
      });
      await memory.remember(keys);
    }
    expect(await server.command('DBSIZE')).toBe(`:${count}\r\n`);
    expect(((await usedBytes()) - before) / count).toBeLessThanOrEqual(110);
  });
});
