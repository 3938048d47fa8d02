import { systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';

let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: await api.url(), HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(() => api.close());

const run = (...args: string[]) => runHookline(args, { env });

/** The command's answer with --json. */
async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  // In a tenant of its own, each says that nothing was there.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(note: nothing was ever stored for a tenant .*\n)?$/)]);
  return JSON.parse(stdout) as T;
}

test('audit lists who changed what, and which fields', async () => {
  const { id } = await ask<{ id: string }>(
    'sources',
    'create',
    '--name',
    'shop',
    '--scheme',
    'github',
    '--tenant',
    'cli',
  );
  await ask('sources', 'update', id, '--name', 'store', '--tenant', 'cli');
  const listed = await run('audit', '--tenant', 'cli', '--resource', id, '--since', '1h');
  expect(listed.stdout).toMatch(
    new RegExp(
      `^at +actor +action +resource +fields\\n\\S+Z +admin +source.update +${id} +name\\n\\S+Z +admin +source.create +${id} +-\\n$`,
    ),
  );
  expect(await ask('audit', '--tenant', 'cli', '--action', 'source.update')).toMatchObject([
    { actor: { type: 'operator' }, before: { name: 'shop' }, after: { name: 'store' } },
  ]);
  expect(await ask('audit', '--tenant', 'cli', '--actor', 'key_x')).toEqual([]);
});

test('tenants are named and limited, and listed with what they have', async () => {
  const set = ['tenants', 'set', 'acme', '--name', 'Acme Ltd', '--limit', 'endpoints=7'];
  expect(await ask(...set)).toMatchObject({ id: 'acme', own_limits: { endpoints: 7 } });
  expect((await run('tenants', 'list')).stdout).toMatch(/^acme +Acme Ltd +\{"sources":0.*\{"endpoints":7\}$/m);
  expect(await run('tenants', 'set', 'acme', '--name', 'x', '--limit', 'endpoints')).toMatchObject({ code: 2 });
  expect(await run('tenants', 'set', 'acme', '--name', 'x', '--limit', 'none=1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--limit (/none) is an unknown field') as string,
  });
});

test('me shows the key in use; a session is made from it, listed and ended', async () => {
  expect(await ask('me', '--tenant', 'cli')).toMatchObject({ credential: { type: 'operator' }, tenant: 'cli' });
  const made = await ask<{ id: string; token: string }>(
    'sessions',
    'create',
    '--scope',
    'read',
    '--hours',
    '1',
    '--tenant',
    'cli',
  );
  expect(made.token).toMatch(/^hs_/);
  expect((await run('sessions', 'list', '--tenant', 'cli')).stdout).toContain(`${made.id}  admin`);
  expect((await run('sessions', 'end', made.id, '--tenant', 'cli')).stdout).toBe(`${made.id} has ended\n`);
  expect(await ask('sessions', 'list', '--tenant', 'cli')).toEqual([]);
  const all = await ask<{ tenant: string; code: string }>('sessions', 'create', '--all-tenants', '--code');
  expect([all.tenant, all.code.slice(0, 3)]).toEqual(['*', 'hc_']);
});
