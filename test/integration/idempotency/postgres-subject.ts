import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createPostgresStore,
  createRedisResponses,
  type KeyedRequest,
  rememberingStore,
  type Store,
} from '#lib/idempotency';
import { createPostgres, type Postgres } from '#lib/postgres';
import type { Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { AnyStore, Subject } from '../../unit/idempotency/world.ts';
import { createDatabase } from '../../support/servers.ts';

export const testSecretBox = createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]));

/** A database with a table of effects, and the pools of two processes. */
export async function openEffects() {
  const url = await createDatabase();
  const pools = [0, 1].map(() => createPool(url));
  const [postgres] = pools as [Postgres];
  await Promise.all(pools.map((pool) => pool.start()));
  await postgres.query('CREATE TABLE effects (n bigserial PRIMARY KEY, scope text NOT NULL, name text NOT NULL)');
  return {
    url,
    pools,
    postgres,
    close: () => Promise.all(pools.map((pool) => pool.stop())),
  };
}

export type EffectsDatabase = Awaited<ReturnType<typeof openEffects>>;

export const createPool = (url: string): Postgres =>
  createPostgres({
    url,
    applicationName: 'hookline-test',
    maxConnections: 6,
    statementTimeoutMs: 10_000,
    isPipelined: 'on-request',
    log: silentLogger,
  });

export interface SubjectOptions {
  /** In front, as each of the processes has it. */
  redis?: Redis;
  /** Changes the statements of the store. */
  rewrite?: (sql: string) => string;
}

/** Stores over one database, with keys and effects of their own. */
export function createPostgresSubject({ pools, postgres }: EffectsDatabase, options: SubjectOptions = {}): Subject {
  const { redis, rewrite = (sql) => sql } = options;
  const scope = randomBytes(6).toString('hex');
  let created = 0;
  return {
    createStore({ lockSeconds, ttlSeconds }) {
      const pool = pools[created++ % pools.length] as Postgres;
      const store = createPostgresStore({
        postgres: rewriting(pool, rewrite),
        secretBox: testSecretBox,
        random: randomBytes,
        lockSeconds,
        ttlSeconds,
      });
      if (redis === undefined) return scoped(store, scope);
      const memory = createRedisResponses({
        redis,
        prefix: `${scope}.`,
        secretBox: testSecretBox,
        clock: systemClock,
      });
      return scoped(rememberingStore({ store, memory, ttlSeconds }), scope);
    },
    lockSeconds: 2,
    clock: systemClock,
    pass: (ms) => delay(ms),
    add: async (through: Store, name) => {
      await through.transaction((tx) => tx.query('INSERT INTO effects (scope, name) VALUES ($1, $2)', [scope, name]));
    },
    async effects() {
      const rows = await postgres.query<{ name: string }>('SELECT name FROM effects WHERE scope = $1 ORDER BY n', [
        scope,
      ]);
      return rows.map(({ name }) => name);
    },
  };
}

function scoped(store: AnyStore, scope: string): AnyStore {
  const within = (request: KeyedRequest): KeyedRequest => ({ ...request, tenant: `${scope}/${request.tenant}` });
  return {
    ...store,
    begin: (request) => store.begin(within(request)),
    find: (request) => store.find(within(request)),
    recall: (request) => store.recall(within(request)),
    runTogether: (requests, write) =>
      store.runTogether(
        requests.map((request) => request && within(request)),
        write,
      ),
  };
}

/** The statements' names go: under one name a connection knows one text. */
function rewriting(postgres: Store, rewrite: (sql: string) => string): Store {
  const over =
    (query: Store['query']): Store['query'] =>
    (text, values) =>
      query(rewrite(text), values);
  return {
    query: over(postgres.query),
    transaction: (work, how) => postgres.transaction((tx) => work({ query: over(tx.query) }), how),
  };
}
