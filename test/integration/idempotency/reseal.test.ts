import { randomBytes } from 'node:crypto';
import { createPostgresStore, type KeptResponse, type KeyedRequest, resealResponses } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { type EffectsDatabase, openEffects } from './postgres-subject.ts';

const oldKey = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const newKey = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const boxOf = (...keys: string[]) => createSecretBox(parseEncryptionKeys(keys));
const both = boxOf(newKey, oldKey);

let database: EffectsDatabase;
beforeAll(async () => {
  database = await openEffects();
});
afterEach(() => database.postgres.query('DELETE FROM idempotency_keys'));
afterAll(() => database.close());

const storeUnder = (key: string) =>
  createPostgresStore({
    postgres: database.postgres,
    secretBox: boxOf(key),
    random: randomBytes,
    lockSeconds: 90,
    ttlSeconds: 3_600,
  });
const answer: KeptResponse = { status: 201, headers: { location: '/v1/x' }, body: Buffer.from([0, 10, 255]) };

async function keepUnder(key: string, count: number): Promise<KeyedRequest[]> {
  const requests = Array.from({ length: count }, (_, n) => ({
    tenant: `t${n % 3}`,
    credential: `c${n % 2}`,
    keyHash: randomBytes(32),
    requestHash: randomBytes(32),
  }));
  for (const request of requests) {
    const begun = await storeUnder(key).begin(request);
    if (begun.kind !== 'run') throw new Error(begun.kind);
    expect(await begun.run.complete(answer)).toBe('kept');
  }
  return requests;
}

const reseal = (given: Partial<Parameters<typeof resealResponses>[0]> = {}) =>
  resealResponses({ postgres: database.postgres, secretBox: both, dryRun: false, ...given });

test('answers are replayed under the new key alone, byte by byte, more than a batch of them', async () => {
  const requests = [...(await keepUnder(oldKey, 501)), ...(await keepUnder(newKey, 1))];
  const [first] = requests as [KeyedRequest];
  expect(await reseal({ dryRun: true })).toEqual({ resealed: 501, current: 1, unreadable: [] });
  await expect(storeUnder(newKey).find(first)).rejects.toThrow('does not list');

  expect(await reseal()).toEqual({ resealed: 501, current: 1, unreadable: [] });
  for (const request of requests)
    expect(await storeUnder(newKey).find(request)).toMatchObject({ kind: 'completed', response: answer });
  expect(await reseal({ secretBox: boxOf(newKey) })).toEqual({ resealed: 0, current: 502, unreadable: [] });
});

test('answers that no key opens are named, and kept; those that have expired are not looked at', async () => {
  const [request, expired] = (await keepUnder(oldKey, 2)) as [KeyedRequest, KeyedRequest];
  await database.postgres.query(
    `UPDATE idempotency_keys SET expires_at = clock_timestamp() - interval '1 second' WHERE key_hash = $1`,
    [expired.keyHash],
  );
  expect(await reseal({ secretBox: boxOf(newKey) })).toEqual({
    resealed: 0,
    current: 0,
    unreadable: [
      { keyHash: request.keyHash.toString('hex', 0, 8), reason: expect.stringContaining('does not list') as string },
    ],
  });
  expect(await reseal()).toEqual({ resealed: 1, current: 0, unreadable: [] });
});

test('a row that another has written since it was read is not put back', async () => {
  const [request] = (await keepUnder(oldKey, 1)) as [KeyedRequest];
  const meanwhile = Buffer.from('written meanwhile');
  const { postgres } = database;
  const raced: Query = {
    query: async (text, values) => {
      if (text.includes('UPDATE')) await postgres.query('UPDATE idempotency_keys SET response = $1', [meanwhile]);
      return postgres.query(text, values);
    },
  };
  await reseal({ postgres: raced });
  expect(await postgres.query('SELECT response FROM idempotency_keys WHERE key_hash = $1', [request.keyHash])).toEqual([
    { response: meanwhile },
  ]);
});
