import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Readable } from 'node:stream';
import { createHttpClient, type HttpClient, type HttpRequest, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
import { receiverCertificate, receiverKey } from '../../support/receiver-zoo/certificates.ts';

const timeoutMs = 10_000;

describe('the client', () => {
  const closing: (() => unknown)[] = [];
  let client: HttpClient;

  const createClient = (options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient => {
    const created = createHttpClient({
      clock: systemClock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
      maxConnectionsPerHost: 10,
      resolve: async () => ['127.0.0.1'],
      ...options,
    });
    closing.push(() => created.stop());
    return created;
  };
  const listening = async (server: Server): Promise<string> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => (server.closeAllConnections(), server.close()));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const serve = async (listener: RequestListener): Promise<string> =>
    `http://${await listening(createServer(listener))}`;
  const post = (url: string, request: Partial<HttpRequest> = {}) =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs, ...request });

  beforeEach(async () => {
    client = createClient();
    await client.start();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('sends the bytes, the headers and the query as given', async () => {
    const body = Buffer.from([0, 255, 10, 13, 0xf0, 0x9f]);
    const seen = Promise.withResolvers<{ url?: string; header?: unknown; length?: string; body: Buffer }>();
    const url = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        seen.resolve({
          url: path,
          header: headers['x-one'],
          length: headers['content-length'] ?? '',
          body: Buffer.concat(chunks),
        });
        response.end();
      });
    });
    await post(`${url}/hook?a=%20b&c#fragment`, { body, headers: { 'x-one': 'two' } });
    expect(await seen.promise).toEqual({ url: '/hook?a=%20b&c', header: 'two', length: '6', body });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'sends a body with %s, by HTTP/1.1 and by HTTP/2',
    async (method) => {
      const seen: string[] = [];
      const answer = async (request: Readable & { method?: string }, response: { end(): void }): Promise<void> => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        seen.push(`${request.method} ${Buffer.concat(chunks).toString()}`);
        response.end();
      };
      const plain = await serve((request, response) => void answer(request, response));
      const secure = createSecureServer({ cert: receiverCertificate, key: receiverKey }, (request, response) => {
        void answer(request, response);
      });
      await once(secure.listen(0, '127.0.0.1'), 'listening');
      closing.push(() => secure.close());
      client = createClient({ ca: receiverCertificate });
      await client.start();
      const { port } = secure.address() as AddressInfo;
      for (const url of [plain, plain, `https://receiver.test:${port}/`, `https://receiver.test:${port}/`])
        expect(await post(url, { method, body: Buffer.from('kept') })).toMatchObject({ outcome: 'delivered' });
      expect(seen).toEqual(Array(4).fill(`${method} kept`));
    },
  );

  it.each([
    [200, 'delivered'],
    [202, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [304, 'redirect'],
    [400, 'http_4xx'],
    [410, 'http_4xx'],
    [429, 'http_4xx'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
  ])('takes %i for %s', async (status, outcome) => {
    const url = await serve((_request, response) => response.writeHead(status, { 'retry-after': '7' }).end());
    expect(await post(url)).toMatchObject({ outcome, status, retryAfter: '7', excerpt: Buffer.alloc(0) });
  });

  it.each([301, 302, 303, 307, 308])('makes no second request when it is answered %i', async (status) => {
    const requests: string[] = [];
    const elsewhere = await serve((request, response) => (requests.push(`elsewhere${request.url}`), response.end()));
    const url = await serve((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(status, { location: `${elsewhere}/moved` }).end();
    });
    expect(await post(`${url}/hook`)).toMatchObject({ outcome: 'redirect', status });
    expect(requests).toEqual(['/hook']);
  });

  it('gives up on a server that accepts and says nothing, within its time', async () => {
    const url = await serve(() => undefined);
    const startedAtMs = performance.now();
    expect(await post(url, { timeoutMs: 150 })).toMatchObject({
      outcome: 'timeout',
      detail: 'no answer within 150 ms',
    });
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  });

  it('is not held up by the body of an answer that never ends', async () => {
    let closed = false;
    const url = await serve((_request, response) => {
      response.writeHead(200).write('x'.repeat(100_000));
      const timer = setInterval(() => response.write('x'.repeat(1_000)), 1);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
    });
    const result = await post(url);
    expect(result).toMatchObject({ outcome: 'delivered', excerpt: Buffer.from('x'.repeat(8 * 1024)) });
    await waitUntil('the connection is closed', () => closed, { everyMs: 5 });
  });

  it('is not held up by a body that stalls, and keeps what has come', async () => {
    const url = await serve((_request, response) => void response.writeHead(500).write('almost'));
    expect(await post(url)).toMatchObject({ outcome: 'http_5xx', excerpt: Buffer.from('almost') });
  });

  it('takes the status for the answer when the body breaks off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    });
    expect(await post(url)).toMatchObject({ outcome: 'delivered', status: 200 });
  });

  it('names a connection that is refused, or broken off before an answer', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await post(url)).toMatchObject({ outcome: 'connect' });
    server.close();
    await once(server, 'close');
    expect(await post(url)).toMatchObject({ outcome: 'connect', detail: 'the connection was refused' });
  });

  it('ends the head of an answer that has none, and takes its status', async () => {
    const url = await serve((_request, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(1_000_000)}`);
    });
    expect(await post(url)).toMatchObject({ outcome: 'delivered', oddity: 'the answer’s head is too long' });
  });

  it('keeps connections for the next requests', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => (ports.add(request.socket.remotePort), response.end('ok')));
    for (let sent = 0; sent < 10; sent += 1) expect(await post(url)).toMatchObject({ outcome: 'delivered' });
    // The first connection may not be free again yet when the second request comes.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('refuses plain http, private addresses, and names that lead to them, without a connection', async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end()).on('connection', () => (connections += 1));
    const host = await listening(server);
    const [, port] = host.split(':');
    client = createClient({ allowHttp: false });
    expect(await post(`http://${host}/`)).toMatchObject({
      outcome: 'blocked',
      detail: 'the URL is not allowed: plain http',
    });
    client = createClient({ allowedNetworks: parseAllowedNetworks([]) });
    expect(await post(`http://${host}/`)).toMatchObject({
      outcome: 'blocked',
      detail: 'the URL is not allowed: loopback',
    });
    expect(await post(`http://receiver.test:${port}/`)).toMatchObject({ outcome: 'blocked' });
    expect(await post('ftp://receiver.test/')).toMatchObject({ outcome: 'blocked' });
    client = createClient();
    expect(await post(`http://${host}/`)).toMatchObject({ outcome: 'delivered' });
    expect(connections).toBe(1);
  });

  describe('over TLS', () => {
    const serveTls = async (): Promise<string> => {
      const server = createTlsServer({ cert: receiverCertificate, key: receiverKey }, (request, response) =>
        response.end(request.httpVersion),
      );
      return (await listening(server)).replace('127.0.0.1', '');
    };

    it('reaches a host whose certificate it trusts, by HTTP/1.1', async () => {
      client = createClient({ ca: receiverCertificate });
      expect(await post(`https://receiver.test${await serveTls()}/`)).toMatchObject({
        outcome: 'delivered',
        excerpt: Buffer.from('1.1'),
      });
    });

    it('refuses a certificate that nobody vouches for', async () => {
      expect(await post(`https://receiver.test${await serveTls()}/`)).toMatchObject({ outcome: 'tls' });
    });

    it('refuses a certificate of another name', async () => {
      client = createClient({ ca: receiverCertificate });
      expect(await post(`https://other.test${await serveTls()}/`)).toMatchObject({ outcome: 'tls' });
    });

    it('names a server that does not speak TLS', async () => {
      const url = await serve((_request, response) => response.end());
      expect(await post(url.replace('http:', 'https:'))).toMatchObject({ outcome: 'tls' });
    });
  });
});
