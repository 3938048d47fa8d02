import { secretsContext } from '#lib/contract';
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
  for (let n = 0; n < 3; n += 1)
    await ask({ method: 'POST', path: '/v1/endpoints', body: { url: 'https://example.com' }, tenant: `tenant-${n}` });
  const deleted = await world.createSource();
  await ask({ method: 'DELETE', path: `/v1/sources/${deleted.id}` });
  sealedAt = async (key) => {
    const [row] = await postgres.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT secrets FROM sources UNION ALL SELECT secrets FROM endpoints) AS sealed
        WHERE position(convert_to($1, 'UTF8') IN secrets) = 2`,
      [key],
    );
    return Number(row?.count);
  };
}, 120_000);

afterAll(() => world?.close(), 30_000);

const reseal = async (keys: readonly string[], ...args: string[]) => {
  const ran = await runHookline(['reseal-secrets', '--json', ...args], {
    env: { HOOKLINE_DATABASE_URL: world.api.databaseUrl, HOOKLINE_ENCRYPTION_KEYS: keys.join(',') },
  });
  return { ...ran, counts: ran.stdout === '' ? undefined : (JSON.parse(ran.stdout) as object) };
};
const all = sourceCount + 1 + 3;

test('a key is replaced and taken off the list while webhooks come in, and none is refused', async () => {
  // What the rotation is for: without it, the new key alone opens nothing.
  const tooEarly = await world.startIngress(newKey);
  expect(await sendSigned(tooEarly, sources[0] as SignedSource)).toBe(503);

  const ingress = await world.startIngress([newKey, oldKey].join(','));
  const answers = new Map<number, number>();
  let resealed = false;
  const sending = (async () => {
    for (let n = 0; !resealed || n < sourceCount; n += 1) {
      const status = await sendSigned(ingress, sources[n % sourceCount] as SignedSource);
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
}, 120_000);

test('what is rotated meanwhile is resealed as it then is, and not put back', async () => {
  const { id } = await world.createSource();
  const context = secretsContext('sources', 'default', id);
  const rotated = JSON.stringify([{ secret: 'rotated meanwhile' }]);
  const ran = await world.api.postgres.transaction(async (tx) => {
    await tx.query('SELECT FROM sources WHERE id = $1 FOR UPDATE', [id]);
    const running = reseal([newKey, oldKey]);
    await waitUntil('the command waits for the row', () => isWaiting(tx), { timeoutMs: 30_000 });
    await tx.query('UPDATE sources SET secrets = $2 WHERE id = $1', [id, boxOf(oldKey).seal(rotated, context)]);
    return { running };
  });
  expect(await ran.running).toMatchObject({ code: 0, counts: { sources: { resealed: 1 } } });
  const [row] = await world.api.postgres.query<{ secrets: Buffer }>('SELECT secrets FROM sources WHERE id = $1', [id]);
  expect(boxOf(newKey).open(row?.secrets ?? Buffer.alloc(0), context)).toBe(rotated);
}, 60_000);

/** Asked on the connection that holds the row, which so is not ended for idling. */
const isWaiting = async (tx: Query): Promise<boolean> => {
  // Within a transaction, who is active is else what it was at first sight.
  await tx.query('SELECT pg_stat_clear_snapshot()');
  const rows = await tx.query(
    `SELECT FROM pg_stat_activity
      WHERE application_name = 'hookline-reseal-secrets' AND wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows.length > 0;
};

test('what no key opens is named, and stays as it is', async () => {
  const { id } = await world.createSource();
  const { code, counts, stdout } = await reseal([newKey]);
  expect(code).toBe(1);
  expect(counts).toMatchObject({ sources: { unreadable: [{ id }] } });
  expect(stdout).toContain('\\"old\\"');
  expect(await sealedAt('old')).toBe(1);
  expect((await reseal([newKey, oldKey])).code).toBe(0);
}, 60_000);

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
