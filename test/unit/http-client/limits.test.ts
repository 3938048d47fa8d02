import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  createHttpClient,
  type HttpClient,
  type HttpResult,
  parseAllowedNetworks,
  type Resolve,
} from '#lib/http-client';
import { createManualClock, type ManualClock } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';

/** Every limit on a clock that stands still until it is moved: none is reached because a machine is slow. */
describe('the limits of a request', () => {
  const closing: (() => unknown)[] = [];
  let clock: ManualClock;
  /** That have begun to run. */
  let limits: number[];
  let connections: Socket[];
  let port: number;
  let heard: () => number;

  beforeEach(async () => {
    const manual = createManualClock();
    limits = [];
    clock = { ...manual, startLimit: (ms, onDue) => (limits.push(ms), manual.startLimit(ms, onDue)) };
    connections = [];
    let bytes = 0;
    heard = () => bytes;
    const server = createServer((socket) => {
      connections.push(socket.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
    closing.push(() => {
      for (const socket of connections) socket.destroy();
      server.close();
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function createClient(resolve: Resolve = async () => ['127.0.0.1']): Promise<HttpClient> {
    const allowedNetworks = parseAllowedNetworks(['127.0.0.0/8']);
    const client = createHttpClient({ clock, allowHttp: true, allowedNetworks, maxConnectionsPerHost: 1, resolve });
    await client.start();
    closing.push(() => client.stop());
    return client;
  }
  const post = (client: HttpClient, url: string, timeoutMs: number): Promise<HttpResult> =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs });
  const until = (what: string, look: () => boolean): Promise<unknown> => waitUntil(what, look, { everyMs: 2 });
  /** Not before that time, and at it. */
  async function endsAt(ms: number, sent: Promise<HttpResult>): Promise<HttpResult> {
    let ended = false;
    void sent.then(() => (ended = true));
    await clock.advance(ms - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    return sent;
  }

  it('the request’s own holds while the name is looked up', async () => {
    const client = await createClient(() => new Promise(() => undefined));
    expect(await endsAt(800, post(client, 'https://receiver.test/', 800))).toMatchObject({
      outcome: 'timeout',
      detail: 'the name was not looked up within 800 ms',
    });
  });

  it('the handshake has one of its own', async () => {
    const client = await createClient();
    const sent = post(client, `https://receiver.test:${port}/`, 10_000);
    await until('the handshake has begun', () => heard() > 0);
    expect(await endsAt(3_000, sent)).toMatchObject({
      outcome: 'timeout',
      detail: 'the TLS handshake was not finished within 3000 ms',
      timing: { dnsMs: 0, connectMs: 0, tlsMs: null },
    });
    await until('the connection is closed', () => connections.every((socket) => socket.readableEnded));
  });

  it('the request’s own holds up to the end of the answer’s head', async () => {
    const client = await createClient();
    const sent = post(client, `http://receiver.test:${port}/`, 5_000);
    await until('the request has come', () => heard() > 0);
    connections[0]?.write('HTTP/1.1 200 OK\r\nx-and: ');
    expect(await endsAt(5_000, sent)).toMatchObject({ outcome: 'timeout', detail: 'no answer within 5000 ms' });
  });

  it('the body has a second from there, whatever was left for the head', async () => {
    const client = await createClient();
    const sent = post(client, `http://receiver.test:${port}/`, 5_000);
    await until('the request has come', () => heard() > 0);
    await clock.advance(4_999);
    connections[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nalmost');
    await until('the head has been read', () => limits.includes(1_000));
    expect(await endsAt(1_000, sent)).toMatchObject({
      outcome: 'delivered',
      excerpt: Buffer.from('almost'),
      timing: { firstByteMs: 4_999, bodyMs: 1_000 },
    });
  });

  it('more of a body than is worth a connection ends the attempt at once, without any time', async () => {
    const client = await createClient();
    const sent = post(client, `http://receiver.test:${port}/`, 5_000);
    await until('the request has come', () => heard() > 0);
    connections[0]?.write(`HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(100_000)}`);
    expect(await sent).toMatchObject({
      outcome: 'delivered',
      excerpt: Buffer.alloc(8 * 1024, 'x'),
      timing: { bodyMs: 0 },
    });
  });

  it('who waits for a connection is told what it waited for', async () => {
    const client = await createClient();
    const first = post(client, `http://receiver.test:${port}/`, 5_000);
    await until('the request has come', () => heard() > 0);
    expect(await endsAt(1_000, post(client, `http://receiver.test:${port}/`, 1_000))).toMatchObject({
      outcome: 'timeout',
      detail: 'no connection was free within 1000 ms',
    });
    await clock.advance(4_000);
    expect(await first).toMatchObject({ outcome: 'timeout', detail: 'no answer within 5000 ms' });
  });
});
