import { type AddressInfo, createServer } from 'node:net';
import { request } from 'undici';
import { generateSecret, schemeSettings, signatureHeaders, signatureSchemes, signingSecret } from '#lib/signatures';
import { runHookline } from '../../support/run-hookline.ts';
import { endHookline, type Running, spawnRunning, startHookline } from './start-hookline.ts';
afterEach(endHookline);

const secret = generateSecret();
const payload = Buffer.from('{"id":"ord_1"}');

/** A dispatcher's request, as far as a receiver can tell. */
function deliveryOf(body: Buffer, { id = 'evt_1', attempt = 1, by = secret } = {}) {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({ secrets: [signingSecret(by)], id, timestampSeconds, body }),
      'hookline-event-type': 'order.paid',
      'hookline-attempt': String(attempt),
    },
    body,
  } as const;
}

const listen = (...args: string[]) => listenBy(startHookline, args);

async function listenBy(start: typeof startHookline, args: readonly string[]): Promise<Running & { url: string }> {
  const command = start(['listen', '--port', '0', ...args]);
  const first = await command.line(/./);
  const [, url = ''] = /(http:\/\/[^"]+)/.exec(first) ?? [];
  return { ...command, url };
}

const send = async (url: string, delivery: ReturnType<typeof deliveryOf>) => {
  const { statusCode, headers, body } = await request(url, delivery);
  return { status: statusCode, type: headers['content-type'], body: await body.text() };
};

test('prints its URL, then each request with its facts, then what has come in all', async () => {
  const receiver = await listenBy(spawnRunning, ['--secret', secret]);
  expect(receiver.lines()).toEqual([`listening on ${receiver.url}`]);
  expect(await send(`${receiver.url}/in?x=1`, deliveryOf(payload))).toMatchObject({ status: 200, body: '' });
  expect(await receiver.line('evt_1')).toMatch(
    /^\d{4}-\S+Z {2}POST \/in\?x=1 {2}order\.paid {2}evt_1 {2}attempt 1 {2}14 bytes {2}verified {2}→ 200$/,
  );
  expect(receiver.lines()[2]).toBe('  {"id":"ord_1"}');
  await send(receiver.url, deliveryOf(payload, { attempt: 2 }));
  expect(await receiver.line('attempt 2')).toContain('verified  seen before  → 200');
  receiver.signal('SIGINT');
  expect(await receiver.ended).toBe(0);
  expect(receiver.lines().at(-1)).toBe('2 received; 2 verified; 0 not verified; 1 repeated; answered 2 × 200');
});

test('what another secret has signed is answered 401, with the reason as a problem document', async () => {
  const receiver = await listen('--secret', secret, '--secret', generateSecret());
  const refused = await send(receiver.url, deliveryOf(payload, { by: generateSecret() }));
  expect([refused.status, refused.type, JSON.parse(refused.body)]).toEqual([
    401,
    'application/problem+json',
    expect.objectContaining({ status: 401, code: 'signature_invalid' }),
  ]);
  expect(await receiver.line('evt_1')).toContain('not verified: signature_invalid  → 401');
  const { headers, ...unsigned } = deliveryOf(payload);
  expect((await request(receiver.url, unsigned)).statusCode).toBe(401);
  expect(Object.keys(headers)).toContain('webhook-signature');
  expect(await receiver.line('signature_missing')).toContain('→ 401');
});

test('with --status, what is not verified is told, and answered so all the same', async () => {
  const receiver = await listen('--secret', secret, '--status', '202');
  expect(await send(receiver.url, deliveryOf(payload, { by: 'another' }))).toMatchObject({ status: 202, body: '' });
  expect(await receiver.line('evt_1')).toContain('not verified: signature_invalid  → 202');
});

test('without a secret all is taken, and said so', async () => {
  const receiver = await listen();
  expect(await send(receiver.url, deliveryOf(payload))).toMatchObject({ status: 200 });
  expect(await receiver.line('evt_1')).toContain('no secret given  → 200');
});

test('with --json a line has everything, bytes that are no text in base64', async () => {
  const receiver = await listen('--json', '--secret', secret, '--count', '2');
  expect(JSON.parse(receiver.lines()[0] ?? '')).toEqual({ kind: 'listening', url: receiver.url });
  const bytes = Buffer.from([0xff, 0x00, 0x0a]);
  await send(`${receiver.url}/x`, deliveryOf(bytes));
  await send(`${receiver.url}/x`, deliveryOf(payload, { attempt: 2 }));
  expect(await receiver.ended).toBe(0);
  const [, first, second, summary] = receiver.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    kind: 'request',
    method: 'POST',
    path: '/x',
    type: 'order.paid',
    webhook_id: 'evt_1',
    attempt: '1',
    bytes: 3,
    verified: true,
    repeat: false,
    answered: 200,
    headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json' },
    body: bytes.toString('base64'),
    body_encoding: 'base64',
  });
  expect(second).toMatchObject({ repeat: true, body: '{"id":"ord_1"}', body_encoding: 'text' });
  expect(summary).toEqual({
    kind: 'summary',
    received: 2,
    verified: 2,
    not_verified: 0,
    answered: { 200: 2 },
    repeats: 1,
  });
});

test('a share of requests is never answered, and ends with the receiver', async () => {
  const receiver = await listenBy(spawnRunning, ['--fail', 'timeout@1']);
  const unanswered = request(receiver.url, deliveryOf(payload)).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  expect(await receiver.line('evt_1')).toContain('→ no answer');
  receiver.signal('SIGTERM');
  expect(await receiver.ended).toBe(0);
  expect(await unanswered).toMatch(/other side closed|ECONNRESET/);
  expect(receiver.lines().at(-1)).toContain('answered 1 × timeout');
});

test('a share of requests has its connection reset, another a status', async () => {
  const resetting = await listen('--fail', 'reset@1', '--count', '1');
  await expect(request(resetting.url, deliveryOf(payload))).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await resetting.ended).toBe(0);
  expect(resetting.lines()[1]).toContain('→ connection reset');
  const failing = await listen('--fail', '503@1', '--secret', secret);
  expect(await send(failing.url, deliveryOf(payload))).toMatchObject({ status: 503 });
});

test('a body above 10 MiB is answered 413, whatever else is wished', async () => {
  const receiver = await listen('--secret', secret, '--status', '200');
  const [most, tooMuch] = [Buffer.alloc(10 * 1024 * 1024, 'a'), Buffer.alloc(10 * 1024 * 1024 + 1, 'a')];
  expect((await send(receiver.url, deliveryOf(most))).status).toBe(200);
  const refused = await send(receiver.url, deliveryOf(tooMuch, { id: 'evt_2' }));
  expect([refused.status, JSON.parse(refused.body)]).toEqual([
    413,
    expect.objectContaining({ code: 'payload_too_large' }),
  ]);
  expect(await receiver.line('evt_2')).toContain('10485761 bytes  not verified: payload_too_large  → 413');
});

test('a provider’s webhook is verified by its own scheme, and named by its own headers', async () => {
  const receiver = await listen('--scheme', 'github', '--secret', 'gh');
  const headers = {
    ...signatureSchemes.github.sign({
      secret: 'gh',
      timestampSeconds: 0,
      body: payload,
      id: '1',
      settings: schemeSettings('github', {}),
    }),
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': 'd-1',
  };
  expect((await request(receiver.url, { method: 'POST', headers, body: payload })).statusCode).toBe(200);
  expect(await receiver.line('d-1')).toMatch(/ {2}push {2}d-1 {2}14 bytes {2}verified {2}→ 200$/);
});

test('another’s text moves no cursor', async () => {
  const receiver = await listen();
  await request(receiver.url, { method: 'POST', headers: { 'webhook-id': 'x' }, body: '\u001b[2J\u202e{}\n' });
  await receiver.line('x');
  expect(receiver.lines().slice(-1)).toEqual(['  ?[2J?{}?']);
});

test('a port that is taken is told in words', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    expect(await runHookline(['listen', '--port', String(port)])).toEqual({
      code: 1,
      stdout: '',
      stderr: `hookline: port ${port} on 127.0.0.1 is in use: give another --port, or 0 for any free port\n`,
    });
  } finally {
    server.close();
  }
  expect(await runHookline(['listen', '--port', '0', '--host', '192.0.2.1'])).toMatchObject({
    code: 1,
    stderr: 'hookline: 192.0.2.1 is not an address of this machine\n',
  });
});
