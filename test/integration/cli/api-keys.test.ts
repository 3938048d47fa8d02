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

interface Key {
  id: string;
  key: string;
  [field: string]: unknown;
}

const apiKeys = (...args: string[]) => runHookline(['api-keys', ...args, '--tenant', 'cli'], { env });

/** The command's answer with --json. */
async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await apiKeys(...args, '--json');
  // In a tenant of its own, each says that nothing was there.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(note: nothing was ever stored for a tenant .*\n)?$/)]);
  return JSON.parse(stdout) as T;
}

test('a key is created, lets in for what it is made, is listed without its text, and revoked', async () => {
  const rate = { per_second: 5, burst: 10 };
  const given = ['--name', 'reader', '--scope', 'read', '--scope', 'publish', '--rate-limit', JSON.stringify(rate)];
  const { key, ...created } = await ask<Key>('create', ...given);
  expect(created).toMatchObject({ name: 'reader', scopes: ['read', 'publish'], rate_limit: rate, last_used_at: null });
  expect(await ask('list')).toEqual([created]);
  const asReader = (command: string) => runHookline(command.split(' '), { env: { ...env, HOOKLINE_ADMIN_KEY: key } });
  expect(await asReader('sources list')).toMatchObject({ code: 0 });
  expect(await asReader('sources create --name x --scheme github')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('403 forbidden') as string,
  });

  expect(await ask('revoke', created.id)).toEqual({ id: created.id, revoked: true });
  expect(await ask('list')).toEqual([]);
  expect(await apiKeys('revoke', created.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('410 gone') as string,
  });
});

test('a person reads lines, and what the API refuses', async () => {
  const created = await apiKeys('create', '--name', 'lines', '--scope', 'admin');
  expect(created.stdout).toMatch(/^id +key_/);
  expect(created.stdout).toMatch(/^key +hk_/m);
  const listed = await apiKeys('list');
  expect(listed.stdout).toMatch(/^id +name +scopes +created_at +last_used_at\nkey_\S+ +lines +\["admin"\] +\S+Z +-\n$/);
  const refused = await apiKeys('create', '--name', 'x', '--scope', 'all');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('400 validation_failed') as string });
});
