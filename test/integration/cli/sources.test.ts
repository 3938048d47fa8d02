import { createId, systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { duplicateFact, eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';

let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: `${await api.url()}/`, HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(() => api.close());

const sources = (...args: string[]) => runHookline(['sources', ...args], { env });

/** The command's answer with --json. */
async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await sources(...args, '--json');
  // In a tenant of its own, each says that nothing was there.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(note: nothing was ever stored for a tenant .*\n)?$/)]);
  return JSON.parse(stdout) as T;
}

interface Source {
  id: string;
  secret: string;
  [field: string]: unknown;
}

const create = (...args: string[]) => ask<Source>('create', '--name', 'shop', '--scheme', 'github', ...args);

test('a source is created, shown, changed, listed and deleted, as the API has it', async () => {
  const { secret, ...created } = await create('--dedup-id', '/id', '--dedup-id', 'header:X-Id', '--tenant', 'cli');
  expect(secret).toMatch(/^whsec_/);
  const { id } = created;
  expect(created).toMatchObject({ name: 'shop', scheme: 'github', dedup_id: ['/id', 'header:X-Id'] });
  expect(await ask('show', id, '--tenant', 'cli')).toEqual(created);

  const change = ['--name', 'store', '--rate-limit', '{"per_second":1,"burst":2}', '--reset', 'dedup-id'];
  const identified_by = { places: ['header:X-GitHub-Delivery'], with: 'header:X-GitHub-Hook-ID' };
  const changed = { ...created, identified_by, name: 'store', rate_limit: { per_second: 1, burst: 2 } };
  Reflect.deleteProperty(changed, 'dedup_id');
  expect(await ask('update', id, ...change, '--tenant', 'cli')).toEqual(changed);
  expect(await ask('list', '--tenant', 'cli')).toEqual([changed]);

  expect(await ask('delete', id, '--tenant', 'cli')).toEqual({ id, deleted: true });
  expect(await ask('list', '--tenant', 'cli')).toEqual([]);
  const gone = await sources('show', id, '--tenant', 'cli');
  expect(gone).toEqual({ code: 1, stdout: '', stderr: 'hookline: The resource was deleted (410 gone)\n' });
});

test('a source whose identifiers came back with another body is shown with a warning', async () => {
  const tenant = 'changed';
  const { id } = await create('--dedup-id', '["/id","header:X-Id"]', '--dedup-id', '/id', '--tenant', tenant);
  expect(await ask('show', id, '--tenant', tenant)).toMatchObject({ dedup_id: [['/id', 'header:X-Id'], '/id'] });
  const event = { tenant, eventId: createId('evt', Date.now()) };
  const key = Buffer.alloc(16, 1);
  await project(api.postgres, [
    eventFact(event, { source_id: id, event_id: 'order-7', dedup_key: key }),
    duplicateFact(event, { origin: 'changed', payload: 'another', key }),
  ]);
  const shown = await sources('show', id, '--tenant', tenant);
  expect([shown.code, shown.stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: identifiers came back with another body, such as order-7: .*--reset dedup_id/),
  ]);
  await sources('update', id, '--dedup', 'off', '--tenant', tenant);
  expect((await sources('show', id, '--tenant', tenant)).stderr).toBe('');
});

test('a source with the header of a known scheme is created with a warning', async () => {
  const hmac = '{"algorithm":"sha256","encoding":"hex","header":"X-Hub-Signature-256","signed":"body"}';
  const made = await sources('create', '--name', 'own', '--scheme', 'hmac', '--hmac', hmac, '--tenant', 'cli');
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('that of the scheme github')]);
});

test('a person reads lines', async () => {
  const created = await sources('create', '--name', 'lines', '--scheme', 'hookline', '--tenant', 'lines');
  expect(created.stdout).toMatch(/^id +src_/);
  expect(created.stdout).toMatch(/^secret +whsec_/m);
  const listed = await sources('list', '--tenant', 'lines');
  expect(listed.stdout).toMatch(/^id +name +scheme +created_at\nsrc_\S+ +lines +hookline +\S+Z\n$/);
});

test('a list is read page by page, up to its limit', async () => {
  await Promise.all(
    Array.from({ length: 5 }, () =>
      api.ask({ method: 'POST', path: '/v1/sources', tenant: 'many', body: { name: 's', scheme: 'github' } }),
    ),
  );
  expect(await ask('list', '--tenant', 'many')).toHaveLength(5);
  expect(await ask('list', '--tenant', 'many', '--limit', '2')).toHaveLength(2);
});

test('a secret is rotated, and rejections are listed', async () => {
  const source = await create();
  const rotated = await ask<Source>('rotate-secret', source.id, '--overlap-seconds', '0', '--secret', 'given');
  expect(rotated).toEqual({ secret: 'given', previous_expires_at: null });
  expect(await ask('rejections', source.id)).toEqual([]);
  expect((await sources('rejections', source.id)).stdout).toBe('(none)\n');
});

test('a refusal of the API is reported field by field, and exits 1', async () => {
  const refused = await sources('create', '--name', '', '--scheme', 'none', '--allowed-ips', '192.0.2.1');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^hookline: The request is invalid \(400 validation_failed\)\n/);
  expect(refused.stderr).toMatch(/^ {2}--scheme must be one of hookline, /m);

  const json = await sources('create', '--json');
  expect([json.code, json.stdout, JSON.parse(json.stderr)]).toEqual([
    1,
    '',
    expect.objectContaining({ code: 'validation_failed', status: 400 }),
  ]);
});

test('a change of what has changed meanwhile is refused', async () => {
  const { id } = await create();
  expect(await sources('update', id, '--name', 'x', '--if-match', '"7"')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('412 precondition_failed') as string,
  });
});

test('a wrong call says so, and exits 2', async () => {
  expect(await sources('list', '--nmae', 'x')).toEqual({
    code: 2,
    stdout: '',
    stderr: "hookline: unknown option '--nmae'\nusage: hookline sources list [options]\n",
  });
});

test('an API that refuses the key, or is not there, is told in words', async () => {
  const wrongKey = await runHookline(['sources', 'list'], { env: { ...env, HOOKLINE_ADMIN_KEY: 'another-key' } });
  expect(wrongKey).toMatchObject({ code: 1, stderr: expect.stringContaining('401 unauthorized') as string });
  const away = await runHookline(['sources', 'list'], { env: { ...env, HOOKLINE_API_URL: 'http://127.0.0.1:1' } });
  expect(away).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the API at http://127.0.0.1:1 does not answer') as string,
  });
});
