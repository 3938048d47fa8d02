import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpServer } from '#lib/net';
import { buildTestApp } from '../api/build-test-app.ts';
import { closeApps, createHarness } from '../ingress/harness.ts';

afterEach(closeApps);

const chunk = Buffer.alloc(64 * 1024);
const bodyBytes = 32 * chunk.length;

/** @param run is given its end of a connection, and what gives the server's */
async function withServer(
  service: 'ingress' | 'api',
  run: (socket: Socket, taken: () => Socket) => Promise<void>,
): Promise<void> {
  const { app } = service === 'api' ? buildTestApp() : createHarness();
  const server = createHttpServer({ app, host: '127.0.0.1', port: 0 });
  let taken: Socket | undefined;
  app.server.on('connection', (socket: Socket) => (taken = socket));
  await server.start();
  const socket = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    await run(socket, () => taken as Socket);
  } finally {
    socket.destroy();
    await server.stop();
  }
}

/** Reads nothing before all is written, as many clients do. */
async function writeThenRead(socket: Socket, head: string, chunks: number): Promise<string> {
  let failure: Error | undefined;
  socket.on('error', (error) => (failure = error));
  socket.write(head, 'latin1');
  for (let i = 0; i < chunks && failure === undefined; i += 1) {
    await new Promise((resolve) => socket.write(chunk, resolve));
    await delay(2);
  }
  if (failure !== undefined) throw failure;
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  await once(socket, 'end');
  return text;
}

const heads: [says: string, service: 'ingress' | 'api', line: string, status: number][] = [
  ['an api that refuses it before its body', 'api', 'POST /v1/sources', 401],
  ['an api that reads no body', 'api', 'GET /openapi.json', 200],
  ['an ingress that reads no body', 'ingress', 'GET /v1/webhooks/nobody', 404],
];

test.each(heads)(
  'who writes its whole body before it reads gets the answer of %s',
  async (_says, service, line, status) => {
    await withServer(service, async (socket) => {
      const head = `${line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n`;
      expect(await writeThenRead(socket, head, bodyBytes / chunk.length)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  },
);

test.each(['ingress', 'api'] as const)('who writes headers without end gets the answer of the %s', async (service) => {
  await withServer(service, async (socket) => {
    const answer = await writeThenRead(socket, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}`, 8);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"The request headers are too large"/);
  });
});

test('who is done neither with writing nor with the connection is cut off', async () => {
  await withServer('api', async (socket, taken) => {
    const begunMs = performance.now();
    socket.resume().write(`POST /v1/sources HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 9\r\n\r\n`);
    await once(socket, 'end');
    const ours = taken();
    if (!ours.destroyed) await once(ours, 'close');
    expect(performance.now() - begunMs).toBeGreaterThan(4_900);
  });
});
