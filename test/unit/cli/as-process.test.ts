/** Each command as its users run it: in a process, with its modules as Node loads them. What it does is tested in the process of the tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { verbTable } from '../../../services/cli/commands/table.ts';
import { withCompileCache } from '../../support/compile-cache.ts';
import { spawnHookline } from '../../support/run-hookline.ts';
import { type Answered, startFakeApi } from './fake-api.ts';

const event = {
  id: 'evt_1',
  type: 'order.paid',
  status: 'completed',
  updated_at: '2026-01-01T00:00:00Z',
  deliveries: {},
};
const answers: Readonly<Record<string, Answered>> = {
  '/v1/events': { status: 200, body: [event], headers: { 'hookline-cursor': 'c' } },
  '/v1/erasures/ers_1': { status: 200, body: { id: 'ers_1' } },
  '/v1/me': { status: 200, body: { tenant: 'acme' } },
  '/v1/sessions': { status: 201, body: { id: 'ses_1', tenant: 'acme', code: 'hc_1' } },
  '/v1/stats': { status: 200, body: { series: [] } },
  '/v1/system': { status: 200, body: { processes: [], stages: [], dependencies: [] } },
  '/v1/webhooks/src_1': { status: 202, body: { id: 'rcp_1' } },
};

let api: Awaited<ReturnType<typeof startFakeApi>>;
let env: Record<string, string>;
beforeAll(async () => {
  api = await startFakeApi(({ method, path }) =>
    method === 'GET' && path.startsWith('/v1/sessions')
      ? { status: 200, body: [] }
      : (answers[path.replace(/\?.*/, '')] ?? { status: 200, body: [] }),
  );
  env = { ...api.env, HOOKLINE_INGRESS_URL: api.env.HOOKLINE_API_URL };
});
afterAll(() => api.stop());

/** A setting that is wrong whatever else is set: these commands would act on a stack that runs here. */
const wrong = { HOOKLINE_DATABASE_URL: 'none', HOOKLINE_ENCRYPTION_KEYS: 'none' };
const empty = { code: 0, stdout: '(none)\n' };
const refused = { code: 2, stderr: /^hookline: invalid configuration\n/, more: wrong };
const signed = '--scheme github --secret s --body-file -';

interface Call {
  call: string;
  code: number;
  stdout?: string | RegExp;
  stderr?: string | RegExp;
  /** Beside what all have. */
  more?: Record<string, string>;
}

const tailed = /^2026-01-01T\S+ {2}evt_1 {2}order\.paid {2}completed\n$/;

const calls: readonly Call[] = [
  { call: 'sources list', ...empty },
  { call: 'endpoints list', ...empty },
  { call: 'events tail --since 1h --count 1', code: 0, stdout: tailed },
  { call: 'deliveries list', ...empty },
  { call: 'types list', ...empty },
  { call: 'dlq list', ...empty },
  { call: 'api-keys list', ...empty },
  { call: 'erase --receipt ers_1', code: 0, stdout: 'id  ers_1\n' },
  { call: 'portal-links list', ...empty },
  { call: 'sessions list', ...empty },
  { call: 'tenants list', ...empty },
  {
    call: 'console --no-open --tenant acme',
    code: 0,
    stdout: 'http://127.0.0.1:8082/session/code?code=hc_1\n',
    more: { HOOKLINE_CONSOLE_URL: 'http://127.0.0.1:8082' },
  },
  { call: 'audit', ...empty },
  { call: 'me', code: 0, stdout: 'tenant  acme\n' },
  { call: 'limits', ...empty },
  { call: 'status', code: 1, stdout: /^ingress +down/m },
  { call: 'stats', ...empty },
  { call: 'system', code: 0, stdout: /^\(none\)/ },
  { call: 'send src_1 --scheme github --secret s', code: 0, stdout: 'accepted: rcp_1\n' },
  { call: `sign ${signed}`, code: 0, stdout: /^X-Hub-Signature-256: sha256=[0-9a-f]{64}\n$/ },
  { call: `verify ${signed}`, code: 1, stdout: 'invalid: signature_missing\n' },
  { call: 'listen --port 70000', code: 2, stderr: /^hookline: --port must be/ },
  { call: 'check-url http://127.0.0.1/', code: 1, stdout: 'blocked: loopback\n' },
  { call: 'setup', ...refused },
  { call: 'serve --only api', ...refused },
  { call: 'rebuild waiting', ...refused },
  { call: 'reseal-secrets', ...refused },
  { call: 'completion bash', code: 0, stdout: /^complete .* hookline/m },
];

test.each(calls)('`hookline $call` runs', async ({ call, code, stdout = '', stderr = '', more = {} }) => {
  const ran = await spawnHookline(call.split(' '), { env: { ...env, ...more }, input: 'body' });
  const like = (output: string | RegExp): unknown =>
    typeof output === 'string' ? output : (expect.stringMatching(output) as unknown);
  expect(ran).toEqual({ code, stdout: like(stdout), stderr: like(stderr) });
});

test('there is a call of each command', () => {
  expect(calls.map(({ call }) => call.split(' ')[0])).toEqual(Object.keys(verbTable));
});

test('what sign prints for the body in its pipe, verify finds valid', async () => {
  const { stdout } = await spawnHookline(`sign ${signed}`.split(' '), { input: 'body' });
  const verified = await spawnHookline(['verify', ...signed.split(' '), '--header', stdout.trim()], { input: 'body' });
  expect(verified).toEqual({ code: 0, stdout: 'valid\n', stderr: '' });
});

test('a reader that has seen enough is no failure', async () => {
  const child = spawn(process.execPath, ['services/cli/main.ts', '--help'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH ?? '', ...withCompileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [stderr, ended] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([stderr, ended]).toEqual(['', [0, null]]);
});
