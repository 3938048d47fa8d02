import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createPostgresStore,
  type GroupEnding,
  type IdempotencyStore,
  type KeptResponse,
  type KeyedRequest,
  type Store,
} from '#lib/idempotency';
import type { Postgres } from '#lib/postgres';
import { startCuttingProxy } from './cutting-proxy.ts';
import { createPool, type EffectsDatabase, openEffects, testSecretBox } from './postgres-subject.ts';

const lockSeconds = 5;
let database: EffectsDatabase;
let [store, other]: IdempotencyStore[] = [];
beforeAll(async () => {
  database = await openEffects();
  [store, other] = database.pools.map(storeOver);
});
beforeEach(() => database.postgres.query('TRUNCATE effects, idempotency_keys'));
afterAll(() => database.close());

const storeOver = (postgres: Postgres): IdempotencyStore =>
  createPostgresStore({
    postgres,
    secretBox: testSecretBox,
    random: randomBytes,
    lockSeconds,
    ttlSeconds: 3_600,
  });

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const requestOf = (key: string, body = 'same'): KeyedRequest => ({
  tenant: 't',
  credential: 'c',
  keyHash: hashOf(key),
  requestHash: hashOf(body),
});
const answerOf = (name: string): KeptResponse => ({ status: 201, headers: {}, body: Buffer.from(name) });

/** A group that writes an effect for each key, or name of one without, that runs. */
const runTogether = (
  by: IdempotencyStore | undefined,
  names: readonly string[],
  { keyed = true, meanwhile = async (_tx: Store): Promise<void> => undefined } = {},
): Promise<GroupEnding[]> =>
  (by as IdempotencyStore).runTogether(
    names.map((name) => (keyed ? requestOf(name) : undefined)),
    async (tx, running) => {
      const wanted = running.map((at) => names[at] as string);
      await tx.query('INSERT INTO effects (scope, name) SELECT $1, unnest($2::text[])', ['group', wanted]);
      await meanwhile(tx);
      return wanted.map(answerOf);
    },
  );

const kindsOf = (endings: readonly GroupEnding[]): string[] => endings.map(({ kind }) => kind);
const effects = async (): Promise<string[]> =>
  (await database.postgres.query<{ name: string }>('SELECT name FROM effects ORDER BY n')).map(({ name }) => name);
const isKept = async (key: string): Promise<boolean> => (await store?.find(requestOf(key)))?.kind === 'completed';

test('a group keeps the effect and the answer of each, with a key or without', async () => {
  expect(kindsOf(await runTogether(store, ['a', 'b', 'c']))).toEqual(['kept', 'kept', 'kept']);
  expect(kindsOf(await runTogether(store, ['x', 'y'], { keyed: false }))).toEqual(['kept', 'kept']);
  expect(await effects()).toEqual(['a', 'b', 'c', 'x', 'y']);
  const found = await other?.find(requestOf('b'));
  expect(found?.kind === 'completed' && found.response.body.toString()).toBe('b');
});

test('a key that has a record, kept or expired, leaves the group; the others are kept', async () => {
  await runTogether(store, ['done', 'expired']);
  await database.postgres.query('UPDATE idempotency_keys SET expires_at = now() WHERE key_hash = $1', [
    hashOf('expired'),
  ]);
  const endings = await runTogether(other, ['new', 'done', 'expired', 'newer']);
  expect(kindsOf(endings)).toEqual(['kept', 'alone', 'alone', 'kept']);
  expect(await effects()).toEqual(['done', 'expired', 'new', 'newer']);
  // By itself it is taken over, as any key that has expired.
  expect((await other?.begin(requestOf('done', 'another')))?.kind).toBe('other_request');
  const begun = await other?.begin(requestOf('expired'));
  expect(begun?.kind).toBe('run');
  if (begun?.kind === 'run') await begun.run.release();
});

test('a key that is under way elsewhere leaves the group, be it there in a group or by itself', async () => {
  const begun = await store?.begin(requestOf('alone'));
  await runTogether(store, ['in a group'], {
    async meanwhile() {
      expect((await other?.begin(requestOf('in a group')))?.kind).toBe('in_progress');
      const endings = await runTogether(other, ['a', 'in a group', 'alone']);
      expect(kindsOf(endings)).toEqual(['kept', 'alone', 'alone']);
    },
  });
  if (begun?.kind === 'run') await begun.run.release();
  expect((await effects()).toSorted()).toEqual(['a', 'in a group']);
});

test('of groups of two processes with the same keys each key is kept once', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `key ${n}`);
  const groupsOf = (by: IdempotencyStore | undefined, order: readonly string[]) =>
    Array.from({ length: 6 }, (_, n) => runTogether(by, order.slice(10 * n, 10 * n + 10)));
  await Promise.all([...groupsOf(store, names), ...groupsOf(other, names.toReversed())]);
  // Requests that both groups have left to others run in neither.
  const written = await effects();
  expect(written).toHaveLength(new Set(written).size);
  for (const name of names) expect(await isKept(name)).toBe(written.includes(name));
});

test('what fails on somebody’s data leaves nothing of the group: each is to be carried out alone', async () => {
  const endings = await runTogether(store, ['good', 'bad\0', 'well']);
  expect(endings).toEqual(
    Array.from({ length: 3 }, () => ({
      kind: 'alone',
      because: expect.objectContaining({ code: 'data_invalid' }) as Error,
    })),
  );
  expect(await effects()).toEqual([]);
  expect(await isKept('good')).toBe(false);
  // Their locks are free.
  expect(kindsOf(await runTogether(other, ['good', 'well']))).toEqual(['kept', 'kept']);
});

test('what fails unheard, with the COMMIT behind it, leaves nothing of the group either', async () => {
  const endings = await (store as IdempotencyStore).runTogether([undefined, undefined], async (tx) => {
    const insert = 'INSERT INTO effects (scope, name) VALUES ($1, $2)';
    for (const name of ['good', 'bad\0']) tx.query(insert, ['group', name]).catch(() => undefined);
    return ['good', 'bad'].map(answerOf);
  });
  expect(kindsOf(endings)).toEqual(['alone', 'alone']);
  expect(await effects()).toEqual([]);
  expect(kindsOf(await runTogether(store, ['x'], { keyed: false }))).toEqual(['kept']);
});

test('a record that was added behind the group’s first look takes back all of it', async () => {
  const endings = await runTogether(store, ['a', 'b'], {
    async meanwhile() {
      await database.postgres.query(
        `INSERT INTO idempotency_keys (tenant, credential, key_hash, request_hash, token, response, expires_at)
         VALUES ('t', 'c', $1, $1, $1, $1, 'infinity')`,
        [hashOf('b')],
      );
    },
  });
  expect(kindsOf(endings)).toEqual(['alone', 'alone']);
  expect(await effects()).toEqual([]);
  expect(await isKept('a')).toBe(false);
});

test('a group that stands still past its lease is lost, whatever it does then, and others go on', async () => {
  const endings = await runTogether(store, ['a', 'b'], {
    async meanwhile() {
      await delay(lockSeconds * 1_000 + 300);
      expect(kindsOf(await runTogether(other, ['a']))).toEqual(['kept']);
    },
  });
  expect(kindsOf(endings)).toEqual(['lost', 'lost']);
  expect(await effects()).toEqual(['a']);
});

test.each(['passed', 'dropped'] as const)(
  'where the connection goes during a COMMIT that the server has %s, all of the group are unsure, and all or none of it is there',
  async (how) => {
    const proxy = await startCuttingProxy(database.url);
    const pool = createPool(proxy.url);
    await pool.start();
    const cut = storeOver(pool);
    await runTogether(cut, ['warm']);
    proxy.cutNextCommit(how);
    expect(kindsOf(await runTogether(cut, ['a', 'b']))).toEqual(['unknown', 'unknown']);
    // The server may still be at it.
    await database.postgres.transaction((tx) => tx.query('LOCK TABLE effects'));
    expect(await effects()).toEqual(how === 'passed' ? ['warm', 'a', 'b'] : ['warm']);
    expect([await isKept('a'), await isKept('b')]).toEqual(how === 'passed' ? [true, true] : [false, false]);
    await pool.stop();
    await proxy.close();
  },
);

test('a group takes as many statements as one request does', async () => {
  const statements: string[] = [];
  const counting: Postgres = {
    ...database.postgres,
    transaction: (work, how) =>
      database.postgres.transaction(
        (tx) => work({ query: (text, ...rest) => (statements.push(text), tx.query(text, ...rest)) }),
        how,
      ),
  };
  const counted = storeOver(counting);
  await runTogether(counted, ['one']);
  const ofOne = statements.splice(0).length;
  await runTogether(
    counted,
    Array.from({ length: 100 }, (_, n) => `of many ${n}`),
  );
  expect(statements).toHaveLength(ofOne);
});
