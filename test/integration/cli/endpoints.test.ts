import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReplayWork } from '#lib/replay-store';
import { systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { killDeliveries } from '../replay-store/dead-deliveries.ts';
import { endDeliveries } from '../replay-store/end-deliveries.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-endpoints-'));
let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: await api.url(), HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api?.close();
});

const endpoints = (...args: string[]) => runHookline(['endpoints', ...args], { env });

/** The command's answer with --json. */
async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await endpoints(...args, '--json');
  // In a tenant of its own, each says that nothing was there.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(note: nothing was ever stored for a tenant .*\n)?$/)]);
  return JSON.parse(stdout) as T;
}

interface Endpoint {
  id: string;
  secret: string;
  [field: string]: unknown;
}

const create = (...args: string[]) => ask<Endpoint>('create', '--url', 'https://example.com/hook', ...args);

test('an endpoint is created, shown, changed, listed and deleted, as the API has it', async () => {
  const settings = [
    ...['--event-types', 'order.paid', '--event-types', 'order.*', '--method', 'PUT', '--ordered', 'true'],
    ...['--filter', '{"data.amount":{"$gt":100}}', '--retry', '{"schedule":[60,300,3600],"jitter":0.1}'],
    ...['--headers', '{"X-Team":"a"}', '--rate-limit', '{"per_second":1,"burst":2}', '--tenant', 'cli'],
  ];
  const { secret, ...created } = await create(...settings);
  expect(secret).toMatch(/^whsec_/);
  expect(created).toMatchObject({
    url: 'https://example.com/hook',
    event_types: ['order.paid', 'order.*'],
    method: 'PUT',
    ordered: true,
    filter: { 'data.amount': { $gt: 100 } },
    retry: { schedule: [60, 300, 3600], jitter: 0.1 },
    headers: { 'X-Team': 'a' },
    rate_limit: { per_second: 1, burst: 2 },
  });
  const { id } = created;
  expect(await ask('show', id, '--tenant', 'cli')).toEqual(created);

  const change = ['--url', 'https://example.com/new', '--timeout-ms', '900', '--reset', 'rate-limit'];
  const changed = await ask<Endpoint>('update', id, ...change, '--headers', '{"X-Team":null}', '--tenant', 'cli');
  expect(changed).toMatchObject({ url: 'https://example.com/new', timeout_ms: 900, headers: {}, method: 'PUT' });
  expect(changed).not.toHaveProperty('rate_limit');
  expect(await ask('list', '--tenant', 'cli')).toEqual([changed]);

  expect(await ask('delete', id, '--tenant', 'cli')).toEqual({ id, deleted: true });
  expect(await endpoints('show', id, '--tenant', 'cli')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hookline: The resource was deleted (410 gone)\n',
  });
});

test('a person reads lines', async () => {
  await create('--tenant', 'lines');
  const listed = await endpoints('list', '--tenant', 'lines');
  expect(listed.stdout).toMatch(
    /^id +url +event_types +disabled_reason +created_at\nep_\S+ +https:\/\/example\.com\/hook +\[\] +- +\S+Z\n$/,
  );
});

test('settings come from a file too, and a client certificate from its own', async () => {
  const file = join(folder, 'endpoint.json');
  writeFileSync(file, JSON.stringify({ url: 'https://example.com/file', max_in_flight: 7, timeout_ms: 700 }));
  const [certificate, key] = [join(folder, 'client.pem'), join(folder, 'client.key')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9'];
  execFileSync('openssl', [...request, '-subj', '/CN=client', '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  const files = ['--from-file', file, '--client-certificate-file', certificate, '--client-key-file', key];
  const created = await ask<Endpoint>('create', ...files, '--timeout-ms', '800');
  expect(created).toMatchObject({
    url: 'https://example.com/file',
    max_in_flight: 7,
    timeout_ms: 800,
    client_certificate: { certificate: expect.stringContaining('BEGIN CERTIFICATE') as string },
  });
  expect(JSON.stringify(created)).not.toContain('PRIVATE KEY');
  const without = await ask<Endpoint>('update', created.id, '--reset', 'client-certificate');
  expect(without.client_certificate ?? null).toBeNull();
});

test('a secret is rotated, with its key pair where it has one', async () => {
  const endpoint = await create('--ed25519', 'true');
  expect(endpoint.public_keys).toHaveLength(1);
  const rotated = await ask<Endpoint>('rotate-secret', endpoint.id, '--overlap-seconds', '60');
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.previous_expires_at).toMatch(/Z$/);
  expect((await ask<Endpoint>('show', endpoint.id)).public_keys).toHaveLength(2);
});

test('an endpoint is disabled and enabled', async () => {
  const { id } = await create();
  expect(await ask('disable', id)).toMatchObject({ disabled_reason: 'by_request' });
  expect(await ask('enable', id)).toMatchObject({ disabled_reason: null });
});

test('a refusal of the API is reported field by field, and exits 1', async () => {
  const refused = await endpoints('create', '--url', 'http://127.0.0.1/');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^hookline: .* \(400 url_not_allowed\)\n {2}--url is not allowed: /);
  const { id } = await create();
  expect(await endpoints('update', id, '--description', 'x', '--if-match', '"7"')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('412 precondition_failed') as string,
  });
});

test('deliveries that died since a time are sent again, and followed to their end', async () => {
  const { id } = await create();
  await killDeliveries(api.postgres, 'default', ['evt_1', 'evt_2'], [id]);
  const recovering = endpoints(
    'recover',
    id,
    '--since',
    '2026-01-01T00:00:00Z',
    '--limit',
    '5',
    '--rate',
    '50',
    '--json',
  );
  const work = createReplayWork(api.postgres);
  const replay = await waitUntil('a replay', async () => (await work.lease('test', 'bulk', 1))[0]);
  for (;;) {
    const taken = await work.take(replay, 10);
    if (taken === 'lost' || 'ended' in taken) break;
    await work.settle(
      replay,
      taken.items.map(({ item }) => ({ item, reason: null })),
    );
  }
  await endDeliveries(api.postgres, 'dead_lettered');
  const recovered = await recovering;
  expect([recovered.code, JSON.parse(recovered.stdout)]).toEqual([
    1,
    expect.objectContaining({ status: 'completed', matched: 2, replayed: 2, rate_per_second: 50 }),
  ]);
  expect(recovered.stderr).toMatch(/2 sent, 0 failed, 0 remaining; 0 delivered, 0 waiting, 2 dead-lettered\n$/);
  const none = await endpoints('recover', id, '--since', '1m', '--json');
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, expect.objectContaining({ matched: 0, replayed: 0 })]);
});
