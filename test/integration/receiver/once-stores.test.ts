import { Redis } from 'ioredis';
import pg from 'pg';
import { postgresStore, redisStore } from '../../../packages/receiver/src/index.ts';
import { describeOnceStore } from '../../support/once-store-conformance.ts';
import { createEmptyDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';

/** With the clients that a user of the package gives it. */
describe('what a receiver has done is kept', () => {
  let redis: Redis;
  let pool: pg.Pool;
  const keyPrefix = uniquePrefix('once');

  beforeAll(async () => {
    redis = new Redis(serverAddresses().redisUrl);
    pool = new pg.Pool({ connectionString: await createEmptyDatabase() });
    // Twice does no harm, and neither do two processes at once.
    await postgresStore(pool).createTable();
    await postgresStore(pool).createTable();
  });
  afterAll(async () => {
    await redis?.quit();
    await pool?.end();
  });

  describe('in Redis by ioredis', () => {
    describeOnceStore((options) => redisStore(redis, { ...options, keyPrefix }));
  });

  describe('in Redis by a client with sendCommand', () => {
    const client = {
      async sendCommand(args: string[]): Promise<unknown> {
        const [command = '', ...rest] = args;
        return redis.call(command, ...rest);
      },
    };
    describeOnceStore((options) => redisStore(client, { ...options, keyPrefix }));
  });

  describe('in Postgres', () => {
    describeOnceStore((options) => postgresStore(pool, options));

    it('removes what is forgotten, a few rows with each webhook', async () => {
      const table = 'forgotten';
      const store = postgresStore(pool, { table });
      await store.createTable();
      const past = `INSERT INTO ${table} SELECT 'old_' || n, NULL, now() - interval '1 minute' FROM generate_series(1, 15) n`;
      await pool.query(past);
      const count = async (): Promise<number> =>
        (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n ?? -1;

      await store.complete('new_1');
      expect(await count()).toBe(6);
      await store.complete('new_2');
      expect(await count()).toBe(2);
      expect(await store.claim('new_1', 'a')).toEqual({ state: 'done' });
    });

    it('can have its table in another schema', async () => {
      await pool.query('CREATE SCHEMA app');
      const store = postgresStore(pool, { table: 'app.webhooks' });
      await store.createTable();
      expect(await store.claim('msg_1', 'a')).toEqual({ state: 'claimed' });
      expect((await pool.query('SELECT id FROM app.webhooks')).rows).toEqual([{ id: 'msg_1' }]);
    });

    it('takes no name of a table that is more than a name', () => {
      expect(() => postgresStore(pool, { table: 'a; DROP TABLE b' })).toThrow('invalid name of a table');
    });
  });

  it('is refused with durations that cannot be', () => {
    for (const options of [
      { leaseSeconds: 0 },
      { leaseSeconds: Number.NaN },
      { leaseSeconds: 10, rememberSeconds: 5 },
    ]) {
      expect(() => redisStore(redis, options)).toThrow(TypeError);
      expect(() => postgresStore(pool, options)).toThrow(TypeError);
    }
  });
});
