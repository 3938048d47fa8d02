/** `hookline listen` with a temporary endpoint, and forwarding, over an API that is played. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { generateSecret, signatureHeaders, signingSecret } from '#lib/signatures';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Answered, type Asked, startFakeApi } from './fake-api.ts';
import { endHookline, type Running, spawnRunning, startHookline } from './start-hookline.ts';

const secret = generateSecret();
const endpoint = {
  id: 'ep_1',
  url: '',
  created_at: '2026-01-01T00:00:00.000000Z',
  effective_at: '2026-01-01T00:00:02.000000Z',
  expires_at: '2026-01-01T00:05:00.000000Z',
  secret,
};

let api: Awaited<ReturnType<typeof startFakeApi>>;
let answer: (asked: Asked) => Answered;
beforeEach(async () => {
  answer = ({ method }) => (method === 'DELETE' ? { status: 204 } : { status: 201, body: endpoint });
  api = await startFakeApi((asked) => answer(asked));
});
afterEach(async () => {
  await endHookline();
  await api.stop();
});

const listen = (...args: string[]) => listenBy(startHookline, args);

async function listenBy(start: typeof startHookline, args: readonly string[]): Promise<Running & { url: string }> {
  const command = start(['listen', ...args], api.env);
  const [, url = ''] = /(http:\/\/[^" ]+)/.exec(await command.line('listening')) ?? [];
  return { ...command, url };
}

const deliver = (url: string, by = secret, body = '{"id":1}') =>
  request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'hookline-event-type': 'order.paid',
      ...signatureHeaders({
        secrets: [signingSecret(by)],
        id: 'evt_1',
        timestampSeconds: Math.floor(Date.now() / 1_000),
        body,
      }),
    },
    body,
  });

async function startTarget(status: number) {
  const got: { url: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer((asked, response) => {
    let body = '';
    asked.on('data', (chunk: Buffer) => (body += chunk.toString()));
    asked.on('end', () => {
      got.push({ url: asked.url ?? '', headers: asked.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks?x=1`,
    stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

test('makes an endpoint that expires, verifies with its secret, and removes it at Ctrl-C', async () => {
  const receiver = await listenBy(spawnRunning, ['--types', 'order.paid, invoice.*']);
  expect(api.asked[0]).toMatchObject({
    method: 'POST',
    path: '/v1/endpoints',
    body: { url: receiver.url, event_types: ['order.paid', 'invoice.*'], expires_in: 900, timeout_ms: 30_000 },
  });
  await receiver.line('gets events accepted from 2026-01-01T00:00:02');
  expect(receiver.lines().slice(0, 2)).toEqual([
    `listening on ${receiver.url} as the temporary endpoint ep_1`,
    `its secret is ${secret}`,
  ]);
  expect((await deliver(receiver.url)).statusCode).toBe(200);
  expect((await deliver(receiver.url, generateSecret())).statusCode).toBe(401);
  await receiver.line('signature_invalid');
  receiver.signal('SIGINT');
  expect(await receiver.ended).toBe(0);
  expect(receiver.lines().at(-1)).toContain('2 received; 1 verified; 1 not verified');
  expect(api.asked.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/endpoints/ep_1' });
  expect(receiver.errors()).toBe('removed the endpoint ep_1\n');
});

test('an endpoint that can’t be removed is said to expire', async () => {
  answer = ({ method }) =>
    method === 'DELETE' ? { status: 500, body: { code: 'internal' } } : { status: 201, body: endpoint };
  const receiver = await listen();
  receiver.signal('SIGTERM');
  expect(await receiver.ended).toBe(0);
  expect(receiver.errors()).toContain('is deleted within 15 minutes');
});

test('a URL that the API refuses is answered with what to do', async () => {
  const problem = {
    title: 'No',
    code: 'url_not_allowed',
    errors: [{ field: '/url', message: 'is not allowed: loopback' }],
  };
  answer = () => ({ status: 400, body: problem });
  const { code, stderr } = await runHookline(['listen'], { env: api.env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('--poll needs no address')]);
});

test('--forward sends what is verified on as it came, and answers with its status', async () => {
  const target = await startTarget(202);
  try {
    const receiver = await listen('--forward', target.url);
    expect((await deliver(receiver.url)).statusCode).toBe(202);
    expect((await deliver(receiver.url, generateSecret())).statusCode).toBe(401);
    expect(target.got).toHaveLength(1);
    expect(target.got[0]).toMatchObject({
      url: '/webhooks?x=1',
      body: '{"id":1}',
      headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json', host: new URL(target.url).host },
    });
    expect(await receiver.line('verified  → 202')).toContain('order.paid');
  } finally {
    await target.stop();
  }
});

test('a target that does not answer is answered for with 502, so that the delivery is tried again', async () => {
  // Nobody listens there; a port that was given back may be another program's by now.
  const receiver = await listen('--forward', 'http://127.0.0.1:9/');
  expect((await deliver(receiver.url)).statusCode).toBe(502);
  await waitUntil('it is said', () => receiver.errors().includes('does not answer: '));
});

test.each([
  ['--forward ftp://x', '--forward must be a URL'],
  ['--forward 3000 --status 500', '--forward answers with the status of its URL'],
  ['--since 1h', '--since goes with --poll'],
  ['--port 0 --types a', '--types is for the temporary endpoint'],
  ['--poll --port 0', '--port is only for a receiver'],
  ['--poll --secret a --secret b', '--poll signs with one --secret'],
])('`listen %s` is wrong usage', async (call, message) => {
  const { code, stderr } = await runHookline(['listen', ...call.split(' ')], { env: api.env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(api.asked).toEqual([]);
});
