import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { type ApiWithIngress, openApiWithIngress, type SignedSource } from '../api/api-with-ingress.ts';

let world: ApiWithIngress;
let env: Record<string, string>;
beforeAll(async () => {
  world = await openApiWithIngress();
  const { url } = await world.startIngress();
  env = { HOOKLINE_API_URL: await world.api.url(), HOOKLINE_ADMIN_KEY: adminKey, HOOKLINE_INGRESS_URL: url };
});
afterAll(() => world?.close());

const send = ({ id, secret }: SignedSource, ...args: string[]) =>
  runHookline(['send', id, '--secret', secret, ...args], { env });

async function createSource(given: object): Promise<SignedSource> {
  const answer = await world.api.ask({ method: 'POST', path: '/v1/sources', body: { name: 's', ...given } });
  expect(answer.status).toBe(201);
  return answer.json<SignedSource>();
}

test.each([
  [{ scheme: 'hookline', signature_header: 'X-Mine' }],
  [{ scheme: 'standard-webhooks' }],
  [{ scheme: 'square', public_url: 'https://example.com/in' }],
  [
    {
      scheme: 'hmac',
      hmac: { algorithm: 'sha512', encoding: 'base64', header: 'X-S', signed: 'id.body', id_header: 'X-Id' },
    },
  ],
])('a webhook is signed as the source %j wants it, and its receipt printed', async (given) => {
  const sent = await send(await createSource(given), '--json', '--body', '{"notificationItems":[]}');
  expect(sent.stderr).toBe('');
  expect(JSON.parse(sent.stdout)).toMatchObject({
    attempts: 1,
    receipt_id: expect.stringMatching(/^rcp_/) as string,
  });
});

test('several webhooks are several receipts; a source that answers 204 has none to show', async () => {
  const source = await createSource({ scheme: 'github' });
  const sent = await send(source, '--count', '3');
  expect(sent.stdout).toMatch(/^(accepted: rcp_\S+\n){3}$/);
  const quiet = await createSource({ scheme: 'github', response_status: 204 });
  expect((await send(quiet)).stdout).toBe('accepted: 204\n');
});

test('bytes come from the standard input as they are', async () => {
  const source = await createSource({ scheme: 'github' });
  const ran = await runHookline(['send', source.id, '--secret', source.secret, '--body-file', '-'], {
    env,
    input: Buffer.from([0, 0xff, 0x0a]),
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('a refusal is reported, and exits 1', async () => {
  const source = await createSource({ scheme: 'github' });
  expect(await send({ ...source, secret: 'another' }, '--count', '3')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hookline: The signature does not match the body (401 signature_invalid)\n',
  });
  expect(await send({ ...source, id: `src_${'0'.repeat(26)}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('404 not_found') as string,
  });
});

test('an ingress that is busy or away gets the same webhook again until it takes it, without the API being asked', async () => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      seen.push({ headers: request.headers, body: body.toString() });
      if (seen.length === 1) return void response.writeHead(503, { 'retry-after': '1' }).end();
      if (seen.length === 2) return void response.writeHead(429).end();
      if (seen.length === 3) return void request.socket.destroy();
      return void response.writeHead(202).end('{"id":"rcp_1"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const beganAtMs = performance.now();
    const ran = await runHookline(['send', 'src_x', '--secret', 's', '--scheme', 'github'], {
      env: { HOOKLINE_INGRESS_URL: url },
    });
    expect(ran).toMatchObject({ code: 0, stdout: 'accepted at attempt 4: rcp_1\n' });
    expect(performance.now() - beganAtMs).toBeGreaterThan(1_000);
    expect(ran.stderr).toMatch(/^answered 503; again in 1\.\d s\nanswered 429; again in .*\n.*; again in .*\n$/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const of = (name: string) => new Set(seen.map(({ headers }) => headers[name]));
  expect(seen).toHaveLength(4);
  for (const name of ['idempotency-key', 'x-github-delivery', 'x-hub-signature-256']) expect(of(name).size).toBe(1);
  expect(seen[0]?.headers['x-github-delivery']).toBe(seen[0]?.headers['idempotency-key']);
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
});
