import { type ClientRequest, createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { generateSecret } from '#lib/signatures';
import {
  createReceiver,
  fastifyRoute,
  fetchHandler,
  nodeListener,
  type Webhook,
} from '../../../packages/receiver/src/index.ts';
import { signAsStandardWebhooks } from '../../support/sign-webhook.ts';
import { askAt } from '../api/ask.ts';

const secret = generateSecret();
const maxBodyBytes = 1_000;
/** No JSON, no UTF-8: whatever reads it as either breaks the signature. */
const body = Buffer.from([0x7b, 0xff, 0x00, 0x0a]);
const signed = (bytes: Buffer = body) => signAsStandardWebhooks(secret, bytes, 'evt_1', Math.floor(Date.now() / 1_000));

interface Sending {
  headers?: Record<string, string>;
  body?: Buffer;
}

describe('adapters', () => {
  const seen: Webhook[] = [];
  let isFailing = false;
  const handler = (webhook: Webhook): void => {
    seen.push(webhook);
    if (isFailing) throw new Error('failed');
  };
  const receiver = createReceiver({ secrets: [secret], maxBodyBytes, onError: () => undefined });
  let server: Server;
  let app: FastifyInstance;

  beforeAll(async () => {
    server = createServer(nodeListener(receiver, handler));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = fastify();
    await app.register(fastifyRoute(receiver, '/webhooks', handler));
    app.post('/other', async (request) => request.body);
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await app.close();
  });
  beforeEach(() => {
    seen.length = 0;
    isFailing = false;
  });

  const post = (port: number, { headers, body: bytes = body }: Sending) =>
    askAt(port, { method: 'POST', path: '/webhooks', headers: headers ?? signed(bytes), body: bytes });
  const portOf = (of: Server): number => (of.address() as AddressInfo).port;

  const adapters: [string, (sending: Sending) => Promise<{ status: number; text: string }>][] = [
    ['node:http', (sending) => post(portOf(server), sending)],
    ['fastify', (sending) => post(portOf(app.server), sending)],
    [
      'fetch',
      async ({ headers, body: bytes = body }) => {
        const request = new Request('http://x/', {
          method: 'POST',
          headers: headers ?? signed(bytes),
          body: new Uint8Array(bytes),
        });
        const response = await fetchHandler(receiver, handler)(request);
        return { status: response.status, text: await response.text() };
      },
    ],
  ];

  describe.each(adapters)('%s', (_name, send) => {
    test('hands over the exact bytes, whatever their content type says', async () => {
      for (const contentType of ['application/json', 'text/plain', 'application/octet-stream']) {
        const reply = await send({ headers: { ...signed(), 'content-type': contentType } });
        expect([reply.status, reply.text]).toEqual([204, '']);
      }
      expect((await send({})).status).toBe(204);
      expect(seen.map((webhook) => webhook.body.equals(body))).toEqual([true, true, true, true]);
      expect(seen[0]?.id).toBe('evt_1');
    });

    test('takes an empty body', async () => {
      expect((await send({ body: Buffer.alloc(0) })).status).toBe(204);
    });

    test('refuses what is not signed', async () => {
      expect(await send({ headers: {} })).toMatchObject({
        status: 401,
        text: expect.stringContaining('signature_missing') as string,
      });
      expect(seen).toEqual([]);
    });

    test('answers 500 where the handler throws', async () => {
      isFailing = true;
      expect((await send({})).status).toBe(500);
    });

    test('answers 413 to what is too large', async () => {
      expect((await send({ body: Buffer.alloc(maxBodyBytes) })).status).toBe(204);
      expect((await send({ body: Buffer.alloc(maxBodyBytes + 1) })).status).toBe(413);
      expect(seen).toHaveLength(1);
    });
  });

  test('fastify: other routes keep their parsers', async () => {
    const answer = await askAt(portOf(app.server), {
      method: 'POST',
      path: '/other',
      headers: { 'content-type': 'application/json' },
      body: { parsed: true },
    });
    expect(answer.json()).toEqual({ parsed: true });
  });

  test('node:http: a header that came twice is refused, which `request.headers` would not show', async () => {
    const headers = Object.entries(signed()).flat();
    const response = await new Promise<number>((resolve, reject) => {
      const outgoing = requestWith(portOf(server), [...headers, 'webhook-id', 'evt_2']);
      outgoing.on('response', (incoming) => resolve(incoming.resume().statusCode ?? 0)).on('error', reject);
      outgoing.end(body);
    });
    expect([response, seen.length]).toEqual([400, 0]);
  });

  test('a body that was read before is an error that says so', async () => {
    const request = new Request('http://x/', { method: 'POST', headers: signed(), body: new Uint8Array(body) });
    await request.text();
    await expect(fetchHandler(receiver, handler)(request)).rejects.toThrow('read before');
    const read = { readableDidRead: true } as Parameters<ReturnType<typeof nodeListener>>[0];
    expect(() => nodeListener(receiver, handler)(read, undefined as never)).toThrow('read before');
  });
});

/** Takes names and values in turn, so that a name can come twice. */
const requestWith = (port: number, headers: readonly string[]): ClientRequest =>
  httpRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/',
    headers: ['host', 'localhost', ...headers],
    agent: false,
  });
