import { randomBytes } from 'node:crypto';
import { createRedisResponses, type Store, sweepExpiredKeys } from '#lib/idempotency';
import { createRedis, type Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import {
  createThing,
  type Handler,
  isReplay,
  openWorld,
  type World,
  type WorldOptions,
} from '../../unit/idempotency/world.ts';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OwnRedis, startOwnRedis } from '../dedup/redis-server.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import {
  createPool,
  createPostgresSubject,
  type EffectsDatabase,
  openEffects,
  type SubjectOptions,
  testSecretBox,
} from './postgres-subject.ts';

let database: EffectsDatabase;
const worlds: World[] = [];
beforeAll(async () => {
  database = await openEffects();
});
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});
afterAll(async () => {
  await database.close();
});

async function open(options: WorldOptions & SubjectOptions & { over?: EffectsDatabase } = {}) {
  const subject = createPostgresSubject(options.over ?? database, options);
  const world = await openWorld(subject, options);
  worlds.push(world);
  return { ...world, effects: subject.effects };
}

const backendPid = async (store: Store): Promise<number> => {
  const [row] = await store.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row?.pid ?? 0;
};

describe('when Postgres goes', () => {
  let proxy: CuttingProxy;
  let over: EffectsDatabase;
  beforeEach(async () => {
    proxy = await startCuttingProxy(database.url);
    const pool = createPool(proxy.url);
    await pool.start();
    over = { ...database, pools: [pool], close: async () => [await pool.stop()] };
  });
  afterEach(async () => {
    await proxy.close();
    await over.close();
  });

  test.each(['passed', 'dropped'] as const)(
    'during a COMMIT that the server has %s, the answer is 503, and the retry finds the truth',
    async (how) => {
      const { post, effects, outcomes } = await open({ over });
      await post({ key: 'warm' });
      proxy.cutNextCommit(how);
      const unsure = await post();
      expect([unsure.status, unsure.headers['retry-after'], unsure.headers.location]).toEqual([503, '2', undefined]);
      const retry = await waitUntil('an answer', async () => {
        const answer = await post();
        return answer.status === 201 && answer;
      });
      expect(isReplay(retry)).toBe(how === 'passed');
      expect(await effects()).toHaveLength(2);
      expect(outcomes.filter((outcome) => outcome === 'fresh')).toHaveLength(how === 'passed' ? 1 : 2);
    },
  );

  test('within a handler, nothing of it is there, the process goes on, and the retry is carried out', async () => {
    let killing = true;
    const handler: Handler = async (handling) => {
      await handling.add('before');
      if (killing) {
        await database.postgres.query('SELECT pg_terminate_backend($1)', [await backendPid(handling.effects as Store)]);
        killing = false;
      }
      return createThing(handling);
    };
    const { post, effects } = await open({ handler });
    expect((await post()).status).toBe(500);
    expect(await effects()).toEqual([]);
    expect((await post()).status).toBe(201);
    expect(await effects()).toHaveLength(2);
  });
});

describe('a handler’s statements', () => {
  test('may fail in a transaction of their own: what else it did is kept with its answer', async () => {
    const { post, effects } = await open({
      async handler({ add, reply, effects }) {
        const store = effects as Store;
        await add('kept');
        const failed = await store
          .transaction(async (tx) => {
            await tx.query('INSERT INTO effects (scope, name) VALUES ($1, $2)', ['elsewhere', 'taken back']);
            await tx.query('INSERT INTO effects (n, scope, name) VALUES (1, $1, $1), (1, $1, $1)', ['twice']);
          })
          .catch(() => 'failed');
        return reply.code(409).send({ failed });
      },
    });
    expect((await post()).status).toBe(409);
    const again = await post();
    expect([again.status, isReplay(again), again.json()]).toEqual([409, true, { failed: 'failed' }]);
    expect(await effects()).toEqual(['kept']);
    expect(await database.postgres.query(`SELECT FROM effects WHERE scope = 'elsewhere'`)).toHaveLength(0);
  });

  test('may not fail outside of one: an answer that stands on them is not given', async () => {
    const { post, effects } = await open({
      async handler({ add, reply, effects }) {
        await add('lost');
        await (effects as Store).query('SELECT 1 / 0').catch(() => undefined);
        return reply.code(201).send();
      },
    });
    expect((await post()).status).toBe(503);
    expect(await effects()).toEqual([]);
  });

  test('use one connection a request: as many requests as there are connections don’t wait for each other', async () => {
    const { post, effects } = await open({
      async handler(handling) {
        const store = handling.effects as Store;
        await store.query('SELECT pg_sleep(0.05)');
        await Promise.all([handling.add('side'), handling.add('by side')]);
        return createThing(handling);
      },
    });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => post({ key: `k${index}` })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await effects()).toHaveLength(90);
  });
});

describe('with Redis in front', () => {
  let server: OwnRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startOwnRedis();
    redis = createRedis({ url: server.url, name: 'test', clock: systemClock, log: silentLogger, coolDownMs: 100 });
    await redis.start();
  });
  afterAll(async () => {
    await redis.stop();
    await server.stop();
  });

  test('a replay, or a mismatch, is told without Postgres; whatever else is asked there', async () => {
    let asked = 0;
    const counting = { rewrite: (sql: string) => ((asked += 1), sql) };
    const { post } = await open({ redis, ...counting });
    await post();
    await waitUntil('Redis knows it', async () => (await server.command('DBSIZE')) !== ':0\r\n');
    asked = 0;
    expect(isReplay(await post())).toBe(true);
    expect((await post({ body: '{"a":2}' })).status).toBe(422);
    expect(asked).toBe(0);
    expect((await post({ key: 'new' })).status).toBe(201);
    expect(asked).toBeGreaterThan(0);
  });

  // redis-wiped
  test('it may forget everything at any moment: as many effects as keys', async () => {
    const { post, effects, outcomes } = await open({ redis, instances: 2 });
    const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`);
    const asking = Promise.all(
      keys.flatMap((key, at) => Array.from({ length: 5 }, (_, turn) => post({ key, instance: (at + turn) % 2 }))),
    );
    let flushing = true;
    const flushed = (async () => {
      while (flushing) await server.command('FLUSHALL');
    })();
    const answers = await asking.finally(() => (flushing = false));
    await flushed;
    expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true);
    await server.command('FLUSHALL');
    for (const key of keys) expect(isReplay(await post({ key }))).toBe(true);
    expect(await effects()).toHaveLength(keys.length);
    expect(outcomes.filter((outcome) => outcome === 'fresh')).toHaveLength(keys.length);
  });

  test('it may hang: everything is as it is without it, a little later', async () => {
    const { post, effects } = await open({ redis });
    let others = 0;
    const isAsked = (): Promise<boolean> => redis.getMany([Buffer.from('any')]).then(Boolean, () => false);
    const answersTakeMs = async (): Promise<number> => {
      await post();
      // One that was away a moment ago is not asked, so it costs no time.
      await waitUntil('Redis is asked', isAsked);
      await server.hang();
      try {
        const beganAtMs = performance.now();
        expect(isReplay(await post())).toBe(true);
        expect((await post({ key: `other ${(others += 1)}` })).status).toBe(201);
        expect((await post({ body: '{"a":2}' })).status).toBe(422);
        return performance.now() - beganAtMs;
      } finally {
        server.resume();
      }
    };
    expect(await fastestOfThreeMs(answersTakeMs)).toBeLessThan(2_000);
    expect(await effects()).toHaveLength(4);
  });

  test('a copy under a key of encryption that is not listed any more is as none', async () => {
    const memory = createRedisResponses({ redis, prefix: 'x.', secretBox: testSecretBox, clock: systemClock });
    const request = {
      tenant: 't',
      credential: 'c',
      keyHash: randomBytes(32),
      requestHash: randomBytes(32),
    };
    const response = { status: 200, headers: {}, body: Buffer.from('whsec_x') };
    await waitUntil('Redis is back', () =>
      memory.remember([{ request, response, forSeconds: 60 }]).then(
        () => true,
        () => false,
      ),
    );
    expect((await memory.recall(request))?.response.body.toString()).toBe('whsec_x');
    await expect(memory.recall({ ...request, tenant: 'other' })).resolves.toBeUndefined();
  });
});

describe('records', () => {
  test('hold neither the key nor the answer in clear', async () => {
    const { post } = await open({ handler: ({ reply }) => reply.code(201).send({ secret: 'whsec_shown_once' }) });
    await post({ key: 'a-key-of-a-client' });
    const rows = await database.postgres.query<{ text: string }>(
      `SELECT k::text || encode(k.response, 'escape') || encode(k.key_hash, 'escape') AS text FROM idempotency_keys k`,
    );
    const all = rows.map(({ text }) => text).join('\n');
    expect(all).not.toContain('whsec_shown_once');
    expect(all).not.toContain('a-key-of-a-client');
    expect(all).not.toContain(Buffer.from('whsec_shown_once').toString('hex'));
  });

  test('that have expired are swept, in batches; others stay', async () => {
    await database.postgres.query('DELETE FROM idempotency_keys');
    const { post } = await open();
    for (const key of ['a', 'b', 'c', 'd']) await post({ key });
    await database.postgres.query(
      `UPDATE idempotency_keys SET expires_at = clock_timestamp() - interval '1 second'
        WHERE key_hash IN (SELECT key_hash FROM idempotency_keys LIMIT 3)`,
    );
    expect(await sweepExpiredKeys(database.postgres, 2)).toBe(2);
    expect(await sweepExpiredKeys(database.postgres, 2)).toBe(1);
    expect(await sweepExpiredKeys(database.postgres, 2)).toBe(0);
    expect(await database.postgres.query('SELECT FROM idempotency_keys')).toHaveLength(1);
  });
});
