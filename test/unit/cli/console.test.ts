import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { openInBrowser } from '../../../services/cli/commands/console.ts';
import { hasDisplay } from '../../../services/cli/config.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Answered, type Asked, startFakeApi } from './fake-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-console-'));
afterAll(() => rmSync(folder, { recursive: true }));

const code = 'hc_ses_1_a-secret';
const session = { id: 'ses_1', code, token: null, code_expires_at: '2026-01-01T00:01:00.000000Z' };
const url = `http://127.0.0.1:8082/session/code?code=${code}`;

/** As the API answers a key of all tenants, or of one. */
const answering =
  (ofAll: boolean) =>
  ({ method, headers, body }: Asked): Answered => {
    if (method === 'GET') return { status: 200, body: { all_tenants: ofAll } };
    const { tenant = headers['hookline-tenant'] ?? 'default' } = body as { tenant?: string };
    return { status: 201, body: { ...session, tenant } };
  };

async function run(args: readonly string[], answer = answering(true), env: Record<string, string> = {}) {
  const api = await startFakeApi(answer);
  try {
    return { ...(await runHookline(['console', ...args], { env: { ...api.env, ...env } })), asked: api.asked };
  } finally {
    await api.stop();
  }
}

const sent = (asked: readonly Asked[]) =>
  asked.map(({ method, path, headers, body }) => [method, path, headers['hookline-tenant'], body]);

describe('hookline console', () => {
  test('prints the URL of a session for all tenants with the admin key, and nothing else', async () => {
    const { asked, ...ran } = await run([]);
    expect(ran).toEqual({ code: 0, stdout: `${url}\n`, stderr: '' });
    expect(sent(asked)).toEqual([
      ['GET', '/v1/me', undefined, undefined],
      ['POST', '/v1/sessions', undefined, { code: true, tenant: '*' }],
    ]);
  });

  test('has a session of its own tenant with any other key', async () => {
    const { asked, stdout } = await run([], answering(false));
    expect(stdout).toBe(`${url}\n`);
    expect(asked.at(-1)?.body).toEqual({ code: true });
  });

  test.each([
    ['acme', 'acme', { code: true }],
    ['*', undefined, { code: true, tenant: '*' }],
  ])('asks for the tenant that --tenant %s names, and no question before', async (tenant, header, body) => {
    const { asked } = await run(['--tenant', tenant]);
    expect(sent(asked)).toEqual([['POST', '/v1/sessions', header, body]]);
  });

  test('prints JSON for programs', async () => {
    const { stdout, stderr } = await run(['--json', '--tenant', 'acme']);
    expect(JSON.parse(stdout)).toEqual({
      url,
      session_id: 'ses_1',
      tenant: 'acme',
      code_expires_at: session.code_expires_at,
    });
    expect(stderr).toBe('');
  });

  test('stays below the path of the console, and puts the code into the URL as it is', async () => {
    const odd = ({ method }: Asked): Answered =>
      method === 'GET' ? { status: 200, body: {} } : { status: 201, body: { ...session, code: 'hc_a&b=c' } };
    const { stdout } = await run([], odd, { HOOKLINE_CONSOLE_URL: 'https://example.com/hooks/' });
    expect(stdout).toBe('https://example.com/hooks/session/code?code=hc_a%26b%3Dc\n');
  });

  test('opens the page that --to names, below the path of the console', async () => {
    const to = '/t/acme/events?type=order.paid&has=duplicates';
    const { stdout } = await run(['--to', to]);
    expect(Object.fromEntries(new URL(stdout).searchParams)).toEqual({ code, to });
    const below = await run(['--to', to], answering(true), { HOOKLINE_CONSOLE_URL: 'https://example.com/hooks/' });
    expect(below.stdout).toMatch(/^https:\/\/example\.com\/hooks\/session\/code\?/);
    expect(new URL(below.stdout).searchParams.get('to')).toBe(`/hooks${to}`);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/t//x',
    't/acme',
    '',
  ])('refuses --to %j, and makes no session', async (to) => {
    const { asked, ...ran } = await run([`--to=${to}`]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('--to must be a path of the console such as /t/default/events');
    expect(asked).toEqual([]);
  });

  test('says in the words of the API that the key must not make sessions', async () => {
    const ran = await run([], ({ method }) =>
      method === 'GET'
        ? { status: 200, body: { all_tenants: false } }
        : { status: 403, body: { title: 'No', status: 403, code: 'forbidden', detail: 'It needs the scope admin' } },
    );
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'hookline: No (403 forbidden): It needs the scope admin\n',
    });
  });

  test('opens nothing where its output goes to no terminal', async () => {
    const opened = join(folder, 'opened');
    for (const opener of ['xdg-open', 'open'])
      writeFileSync(join(folder, opener), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    const env = { DISPLAY: ':0', PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
    expect((await run([], answering(true), env)).stdout).toBe(`${url}\n`);
    expect(() => readFileSync(opened)).toThrow('ENOENT');
  });
});

test('a browser is opened by the program of the machine, which is given the URL alone', async () => {
  const file = join(folder, 'arguments');
  const opener = join(folder, 'opener');
  writeFileSync(opener, `#!/bin/sh\necho "$# $1" > ${file}.new && mv ${file}.new ${file}\n`, { mode: 0o755 });
  expect(await openInBrowser(url, opener)).toBe(true);
  const read = (): string | undefined => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  };
  expect(await waitUntil('it was called', read)).toBe(`1 ${url}\n`);
});

test('a machine without such a program opens nothing', async () => {
  expect(await openInBrowser(url, join(folder, 'none'))).toBe(false);
});

test.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['darwin', {}, true],
] as const)('%s with %j has a display: %s', (platform, env, shown) => {
  expect(hasDisplay(env, platform)).toBe(shown);
});
