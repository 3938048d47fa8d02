import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  createHttpClient,
  type HttpClient,
  type HttpRequest,
  type HttpRoute,
  parseAllowedNetworks,
  type Resolve,
} from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import {
  clientCertificate,
  clientKey,
  proxyCertificate,
  proxyKey,
  receiverCertificate,
  receiverKey,
} from '../../support/receiver-zoo/certificates.ts';
import { watchConnectionAttempts } from './connection-attempts.ts';
import { createWatchedClock } from '../../support/watched-clock.ts';

describe('the route of a request', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function createClient(
    resolve: Resolve = async () => ['127.0.0.1'],
    allowed = ['127.0.0.0/8'],
    clock = systemClock,
  ): Promise<HttpClient> {
    const client = createHttpClient({
      clock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(allowed),
      maxConnectionsPerHost: 10,
      resolve,
      ca: receiverCertificate + proxyCertificate + clientCertificate,
    });
    await client.start();
    closing.push(() => client.stop());
    return client;
  }
  const post = (client: HttpClient, url: string, route: HttpRoute, rest: Partial<HttpRequest> = {}) =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000, route, ...rest });

  async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }
  const receiver = (): Promise<number> =>
    listen(createServer((request, response) => response.end(request.headers.host)));
  const tlsReceiver = (options: object = {}): Promise<number> =>
    listen(
      createTlsServer({ cert: receiverCertificate, key: receiverKey, ...options }, (request, response) => {
        const { CN = 'nobody' } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
        response.end(String(CN));
      }),
    );

  describe('by a proxy', () => {
    interface Asked {
      authority: string;
      authorization: string | undefined;
    }
    /** Tunnels to wherever it is asked to. */
    async function startProxy(isTls = false): Promise<{ port: number; asked: Asked[] }> {
      const asked: Asked[] = [];
      const server = isTls ? createTlsServer({ cert: proxyCertificate, key: proxyKey }) : createServer();
      server.on('connect', (request: IncomingMessage, socket: Socket) => {
        const { url: authority = '', headers } = request;
        asked.push({ authority, authorization: headers['proxy-authorization'] });
        const [host = '', port] = authority.split(':');
        const onward = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        for (const end of [socket, onward]) end.on('error', () => (socket.destroy(), onward.destroy()));
      });
      return { port: await listen(server), asked };
    }
    /** Answers every request. */
    const answering = (answer: string | undefined): Promise<number> =>
      listen(createTcpServer((socket) => socket.once('data', () => answer !== undefined && socket.end(answer))));

    it('goes to the judged address, by CONNECT, over plain http too; the receiver is told the name', async () => {
      const { port: proxyPort, asked } = await startProxy();
      const port = await receiver();
      const client = await createClient();
      expect(
        await post(client, `http://receiver.test:${port}/`, { proxy: `http://proxy.test:${proxyPort}` }),
      ).toMatchObject({ outcome: 'delivered', excerpt: Buffer.from(`receiver.test:${port}`) });
      expect(asked).toEqual([{ authority: `127.0.0.1:${port}`, authorization: undefined }]);
    });

    it.each([false, true])(
      'speaks TLS with the receiver, whose name is verified; with the proxy too: %s',
      async (isTls) => {
        const { port: proxyPort, asked } = await startProxy(isTls);
        const port = await tlsReceiver();
        const client = await createClient();
        const route = { proxy: `${isTls ? 'https' : 'http'}://proxy.test:${proxyPort}` };
        expect(await post(client, `https://receiver.test:${port}/`, route)).toMatchObject({ outcome: 'delivered' });
        expect(await post(client, `https://other.test:${port}/`, route)).toMatchObject({
          outcome: 'tls',
          detail: 'the certificate is for another name',
        });
        expect(asked.map(({ authority }) => authority)).toEqual(Array(2).fill(`127.0.0.1:${port}`));
      },
    );

    it('verifies the proxy’s certificate', async () => {
      const { port: proxyPort, asked } = await startProxy(true);
      const client = await createClient();
      expect(
        await post(client, 'https://receiver.test/', { proxy: `https://receiver.test:${proxyPort}` }),
      ).toMatchObject({ outcome: 'tls', detail: 'the proxy: the certificate is for another name' });
      expect(asked).toEqual([]);
    });

    it('keeps the tunnel for the next requests', async () => {
      const { port: proxyPort, asked } = await startProxy();
      const port = await receiver();
      const client = await createClient();
      for (let sent = 0; sent < 5; sent += 1) {
        // Another object, the same route.
        await post(client, `http://receiver.test:${port}/`, { proxy: `http://proxy.test:${proxyPort}` });
        await systemClock.sleep(5);
      }
      expect(asked).toHaveLength(1);
    });

    it('shows its credentials to the proxy alone, percent-encoded or not, and to nobody in words', async () => {
      const { port: proxyPort, asked } = await startProxy();
      const seen: unknown[] = [];
      const port = await listen(
        createServer((request, response) => {
          seen.push(request.rawHeaders);
          response.end();
        }),
      );
      const client = await createClient();
      const passwords = ['s%40cret', '100%'];
      for (const password of passwords)
        await post(client, `http://receiver.test:${port}/`, {
          proxy: `http://us%3Aer:${password}@proxy.test:${proxyPort}`,
        });
      const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
      expect(asked.map(({ authorization }) => authorization)).toEqual([basic('us:er:s@cret'), basic('us:er:100%')]);
      expect(JSON.stringify(seen)).not.toMatch(/proxy-authorization|cret/i);

      const refusing = await answering('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      const refused = await post(client, 'https://receiver.test/', {
        proxy: `http://user:s3cret@proxy.test:${refusing}`,
      });
      expect(JSON.stringify(refused)).not.toMatch(/s3cret|dXNlcjpzM2NyZXQ/);
    });

    it('is judged as without one: no proxy is asked for a way to a refused address', async () => {
      const { port: proxyPort, asked } = await startProxy();
      const inside: Resolve = async (name) => (name === 'proxy.test' ? ['127.0.0.1'] : ['8.8.8.8', '10.0.0.1']);
      const client = await createClient(inside);
      const watched = watchConnectionAttempts();
      closing.push(() => watched.stop());
      const route = { proxy: `http://proxy.test:${proxyPort}` };
      for (const url of ['https://receiver.test/', 'https://10.0.0.1/', 'http://169.254.169.254/', 'http://[::1]/'])
        expect(await post(client, url, route)).toMatchObject({ outcome: 'blocked' });
      expect(asked).toEqual([]);
      expect(watched.attempts).toEqual([]);
    });

    it('does not lead to a proxy whose own address is refused', async () => {
      const watched = watchConnectionAttempts();
      closing.push(() => watched.stop());
      const client = await createClient(async (name) => (name === 'proxy.test' ? ['10.0.0.1'] : ['8.8.8.8']), []);
      for (const [proxy, detail] of [
        ['http://proxy.test:3128', 'the proxy: the host’s address is not allowed'],
        ['http://169.254.169.254:80', /^the proxy: the host’s address is not allowed: link-local/],
        ['https://127.0.0.1', /^the proxy: the host’s address is not allowed: loopback/],
      ] as const) {
        const result = await post(client, 'https://receiver.test/', { proxy });
        expect(result).toMatchObject({ outcome: 'blocked' });
        expect('detail' in result && result.detail).toMatch(detail);
      }
      expect(watched.attempts).toEqual([]);
    });

    it.each([
      [
        'asks for other credentials',
        'HTTP/1.1 407 No\r\n\r\n',
        'the proxy answered 407: it asks for other credentials',
      ],
      ['forbids', 'HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nno', 'the proxy answered 403'],
      ['finds no way', 'HTTP/1.1 502 No\r\n\r\n', 'the proxy answered 502'],
      ['sends elsewhere', 'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n', 'the proxy answered 302'],
      ['does not speak HTTP', 'SSH-2.0-x\r\n', 'the proxy: the answer is not HTTP'],
      ['closes', '', 'the proxy: the connection was reset'],
      [
        'sends a head without an end',
        `HTTP/1.1 200 Yes\r\nx: ${'x'.repeat(100_000)}`,
        'the proxy: the answer’s head is too long',
      ],
    ])('names a proxy that %s', async (_what, answer, detail) => {
      const client = await createClient();
      const proxy = `http://proxy.test:${await answering(answer)}`;
      expect(await post(client, 'https://receiver.test/', { proxy })).toMatchObject({ outcome: 'connect', detail });
    });

    it('names a proxy that is not there, or does not answer', async () => {
      const client = await createClient(undefined, undefined, createWatchedClock(20));
      const silent = { proxy: `http://proxy.test:${await answering(undefined)}` };
      expect(await post(client, 'https://receiver.test/', silent, { timeoutMs: 10_000 })).toMatchObject({
        outcome: 'timeout',
        detail: 'the proxy did not answer within 3000 ms',
      });
      expect(await post(client, 'https://receiver.test/', silent, { timeoutMs: 1_000 })).toMatchObject({
        outcome: 'timeout',
        detail: 'the proxy did not answer within 1000 ms',
      });
      const server = createTcpServer();
      const port = await listen(server);
      server.close();
      expect(await post(client, 'https://receiver.test/', { proxy: `http://proxy.test:${port}` })).toMatchObject({
        outcome: 'connect',
        detail: 'the proxy: the connection was refused',
      });
    });
  });

  describe('with a client certificate', () => {
    const mutual = { requestCert: true, rejectUnauthorized: true, ca: clientCertificate };
    const withCertificate = { clientCertificate: { certificate: clientCertificate, privateKey: clientKey } };

    it('shows it to the receiver', async () => {
      const client = await createClient();
      expect(await post(client, `https://receiver.test:${await tlsReceiver(mutual)}/`, withCertificate)).toMatchObject({
        outcome: 'delivered',
        excerpt: Buffer.from('client.test'),
      });
    });

    it('shares no connection and no TLS session with requests that have another one, or none', async () => {
      const port = await tlsReceiver({ requestCert: true, rejectUnauthorized: false });
      const client = await createClient();
      const other = { clientCertificate: { certificate: proxyCertificate, privateKey: proxyKey } };
      const shown: string[] = [];
      for (const route of [withCertificate, {}, other, withCertificate, {}]) {
        const result = await post(client, `https://receiver.test:${port}/`, route);
        shown.push('excerpt' in result ? result.excerpt.toString() : result.detail);
        await systemClock.sleep(5);
      }
      expect(shown).toEqual(['client.test', 'nobody', 'proxy.test', 'client.test', 'nobody']);
    });

    it('names one that cannot be used, and does not show the key', async () => {
      const client = await createClient();
      const port = await tlsReceiver(mutual);
      const broken = { clientCertificate: { certificate: clientCertificate, privateKey: proxyKey } };
      const result = await post(client, `https://receiver.test:${port}/`, broken);
      expect(result).toMatchObject({ outcome: 'tls', detail: 'the client certificate cannot be used' });
      expect(JSON.stringify(result)).not.toContain('PRIVATE KEY');
    });

    it('goes through a proxy without being shown to that', async () => {
      const port = await tlsReceiver(mutual);
      const shownToProxy: unknown[] = [];
      const proxy = createTlsServer({
        cert: proxyCertificate,
        key: proxyKey,
        requestCert: true,
        rejectUnauthorized: false,
      });
      proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
        shownToProxy.push((request.socket as TLSSocket).getPeerCertificate().subject);
        const onward = connect(port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Yes\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        for (const end of [socket, onward]) end.on('error', () => (socket.destroy(), onward.destroy()));
      });
      const client = await createClient();
      const route = { ...withCertificate, proxy: `https://proxy.test:${await listen(proxy)}` };
      expect(await post(client, `https://receiver.test:${port}/`, route)).toMatchObject({
        outcome: 'delivered',
        excerpt: Buffer.from('client.test'),
      });
      expect(shownToProxy).toEqual([undefined]);
    });
  });
});
