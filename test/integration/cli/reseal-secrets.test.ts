import { randomBytes } from 'node:crypto';
import { privateContext, secretsContext } from '#lib/contract';
import { createPostgresStore } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type ApiWithIngress, openApiWithIngress, sendSigned, type SignedSource } from '../api/api-with-ingress.ts';

const oldKey = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const newKey = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const boxOf = (...keys: string[]) => createSecretBox(parseEncryptionKeys(keys));

/** More than one batch. */
const sourceCount = 230;

let world: ApiWithIngress;
let sources: SignedSource[];
let sealedAt: (box: 'old' | 'new') => Promise<number>;

beforeAll(async () => {
  world = await openApiWithIngress({ secretBox: boxOf(oldKey) });
  sources = [];
  for (let n = 0; n < sourceCount; n += 1) sources.push(await world.createSource());
  const { ask, postgres } = world.api;
  for (let n = 0; n < 3; n += 1) {
    const body = { url: 'https://example.com', ...(n > 0 && { headers: { Authorization: `hush ${n}` } }) };
    await ask({ method: 'POST', path: '/v1/endpoints', body, tenant: `tenant-${n}` });
  }
  const deleted = await world.createSource();
  await ask({ method: 'DELETE', path: `/v1/sources/${deleted.id}` });
  sealedAt = async (key) => {
    const [row] = await postgres.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT secrets FROM sources UNION ALL SELECT secrets FROM endpoints
                              UNION ALL SELECT private FROM endpoints) AS sealed (value)
        WHERE position(convert_to($1, 'UTF8') IN value) = 2`,
      [key],
    );
    return Number(row?.count);
  };
});

afterAll(() => world?.close());

const reseal = async (keys: readonly string[], ...args: string[]) => {
  const ran = await runHookline(['reseal-secrets', '--json', ...args], {
    env: { HOOKLINE_DATABASE_URL: world.api.databaseUrl, HOOKLINE_ENCRYPTION_KEYS: keys.join(',') },
  });
  return { ...ran, counts: ran.stdout === '' ? undefined : (JSON.parse(ran.stdout) as object) };
};
/** Two of the three endpoints have private settings. */
const all = sourceCount + 1 + 3 + 2;

test('a key is replaced and taken off the list while webhooks come in, and none is refused', async () => {
  // The rotation is needed: without it, the new key alone opens nothing.
  const tooEarly = await world.startIngress(newKey);
  expect(await sendSigned(tooEarly, sources[0] as SignedSource)).toBe(503);

  const ingress = await world.startIngress([newKey, oldKey].join(','));
  const answers = new Map<number, number>();
  let resealed = false;
  // As senders do, again after a 503, which a busy machine may give too; a source that can't be opened has no other answer.
  const send = async (source: SignedSource): Promise<number> => {
    let status = 503;
    const isAnswered = async (): Promise<boolean> => (status = await sendSigned(ingress, source)) !== 503;
    await waitUntil('the webhook is answered', isAnswered);
    return status;
  };
  const sending = (async () => {
    for (let n = 0; !resealed || n < sourceCount; n += 1) {
      const status = await send(sources[n % sourceCount] as SignedSource);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  })();

  const dry = await reseal([newKey, oldKey], '--dry-run');
  expect(dry).toMatchObject({
    code: 0,
    counts: { dry_run: true, sources: { resealed: sourceCount + 1, current: 0 }, endpoints: { resealed: 3 } },
  });
  expect(await sealedAt('old')).toBe(all);

  expect(await reseal([newKey, oldKey])).toMatchObject({
    code: 0,
    counts: { sources: { resealed: sourceCount + 1, unreadable: [] }, endpoints: { resealed: 3, unreadable: [] } },
  });
  expect([await sealedAt('old'), await sealedAt('new')]).toEqual([0, all]);
  expect(await reseal([newKey, oldKey])).toMatchObject({
    code: 0,
    counts: { sources: { resealed: 0, current: sourceCount + 1 }, endpoints: { resealed: 0, current: 3 } },
  });
  resealed = true;
  await sending;
  expect([...answers.keys()]).toEqual([202]);

  const afterwards = await world.startIngress(newKey);
  for (const source of sources) expect(await sendSigned(afterwards, source)).toBe(202);
});

test('a secret that is rotated meanwhile is resealed as it then is, and not put back', async () => {
  const { id } = await world.createSource();
  const context = secretsContext('sources', 'default', id);
  const rotated = JSON.stringify([{ secret: 'rotated meanwhile' }]);
  const ran = await world.api.postgres.transaction(async (tx) => {
    await tx.query('SELECT FROM sources WHERE id = $1 FOR UPDATE', [id]);
    const running = reseal([newKey, oldKey]);
    await waitUntil('the command waits for the row', () => isWaiting(tx));
    await tx.query('UPDATE sources SET secrets = $2 WHERE id = $1', [id, boxOf(oldKey).seal(rotated, context)]);
    return { running };
  });
  expect(await ran.running).toMatchObject({ code: 0, counts: { sources: { resealed: 1 } } });
  const [row] = await world.api.postgres.query<{ secrets: Buffer }>('SELECT secrets FROM sources WHERE id = $1', [id]);
  expect(boxOf(newKey).open(row?.secrets ?? Buffer.alloc(0), context)).toBe(rotated);
});

/** Asked on the connection that holds the row, which so is not ended for idling. */
const isWaiting = async (tx: Query): Promise<boolean> => {
  // Within a transaction, pg_stat_activity would stay as it was first read.
  await tx.query('SELECT pg_stat_clear_snapshot()');
  const rows = await tx.query(
    `SELECT FROM pg_stat_activity
      WHERE application_name = 'hookline-reseal-secrets' AND wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows.length > 0;
};

test('a secret that no key opens is named, and stays as it is', async () => {
  const { id } = await world.createSource();
  const { code, counts, stdout } = await reseal([newKey]);
  expect(code).toBe(1);
  expect(counts).toMatchObject({ sources: { unreadable: [{ id }] } });
  expect(stdout).toContain('\\"old\\"');
  expect(await sealedAt('old')).toBe(1);
  expect((await reseal([newKey, oldKey])).code).toBe(0);
});

test('answers that are kept for idempotency keys are resealed, and named where no key opens them', async () => {
  const { postgres } = world.api;
  const request = { tenant: 'default', credential: 'admin', keyHash: randomBytes(32), requestHash: randomBytes(32) };
  const storeUnder = (key: string) =>
    createPostgresStore({ postgres, secretBox: boxOf(key), random: randomBytes, lockSeconds: 90, ttlSeconds: 3_600 });
  const begun = await storeUnder(oldKey).begin(request);
  if (begun.kind !== 'run') throw new Error(begun.kind);
  const response = { status: 201, headers: {}, body: Buffer.from('whsec_shown_once') };
  await begun.run.complete(response);

  const unreadable = [{ id: request.keyHash.toString('hex', 0, 8), column: 'response' }];
  expect(await reseal([newKey])).toMatchObject({ code: 1, counts: { answers: { resealed: 0, unreadable } } });
  expect(await reseal([newKey, oldKey])).toMatchObject({
    code: 0,
    counts: { answers: { resealed: 1, unreadable: [] } },
  });
  expect(await storeUnder(newKey).find(request)).toMatchObject({ kind: 'completed', response });
});

test('private settings are resealed as they are, and named where no key opens them', async () => {
  const { postgres } = world.api;
  const privates = () =>
    postgres.query<{ id: string; tenant: string; private: Buffer }>(
      'SELECT id, tenant, private FROM endpoints WHERE private IS NOT NULL ORDER BY tenant',
    );
  const sealed = await privates();
  const opened = sealed.map((row) => boxOf(newKey).open(row.private, privateContext(row.tenant, row.id)));
  expect(opened).toEqual([1, 2].map((n) => JSON.stringify({ headers: { Authorization: `hush ${n}` } })));

  const [first] = sealed;
  if (first === undefined) throw new Error('no private settings');
  const elsewhere = boxOf(oldKey).seal(opened[0] as string, secretsContext('endpoints', first.tenant, first.id));
  await postgres.query('UPDATE endpoints SET private = $2 WHERE id = $1', [first.id, elsewhere]);
  const { code, counts, stdout } = await reseal([newKey, oldKey]);
  expect(code).toBe(1);
  const unreadable = [{ id: first.id, column: 'private' }];
  expect(counts).toMatchObject({ endpoints: { resealed: 0, current: 2, unreadable } });
  expect(stdout).not.toContain('hush');
  expect((await privates())[0]?.private).toEqual(elsewhere);
});

test.each([
  ['no key', ''],
  ['a key that is none', 'k1:short'],
  ['two keys of one id', `${oldKey},${oldKey}`],
])('%s is a wrong configuration', async (_what, keys) => {
  expect(await reseal([keys])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('HOOKLINE_ENCRYPTION_KEYS') as string,
  });
});
