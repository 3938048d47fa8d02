import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createHttpClient, type HttpClient, type HttpResult, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import { receiverCertificate, receiverKey } from '../../support/receiver-zoo/certificates.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { watchConnectionAttempts } from './connection-attempts.ts';

describe('the connections of the client', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function createClient(maxConnectionsPerHost: number): Promise<HttpClient> {
    const client = createHttpClient({
      clock: systemClock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
      maxConnectionsPerHost,
      resolve: async () => ['127.0.0.1'],
      ca: receiverCertificate,
    });
    await client.start();
    closing.push(() => client.stop());
    return client;
  }
  const post = (client: HttpClient, url: string, timeoutMs = 30_000): Promise<HttpResult> =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs });

  /** @returns its port, and how many connections it has had and has */
  async function listen(server: Server | Http2SecureServer) {
    const open = new Set<Socket>();
    let all = 0;
    let most = 0;
    server.on('connection', (socket: Socket) => {
      open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
      all += 1;
      most = Math.max(most, open.size);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { port, all: () => all, most: () => most };
  }

  describe('by HTTP/1.1', () => {
    const serve = async (listener: RequestListener) => {
      const seen = await listen(createServer(listener));
      return { ...seen, url: `http://receiver.test:${seen.port}/` };
    };

    it('are as many as they may be, and no more: the others wait their turn', async () => {
      const { url, most } = await serve((_request, response) => void setTimeout(() => response.end(), 10));
      const client = await createClient(3);
      const results = await Promise.all(Array.from({ length: 20 }, () => post(client, url)));
      expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
      expect(most()).toBe(3);
    });

    it('who waits in vain is told so, and takes no connection from who comes next', async () => {
      const hanging: (() => void)[] = [];
      const { url, all } = await serve((_request, response) => void hanging.push(() => response.end()));
      const client = await createClient(1);
      const first = post(client, url);
      expect(await post(client, url, 100)).toMatchObject({
        outcome: 'timeout',
        detail: 'no connection was free within 100 ms',
        timing: { connectMs: null, firstByteMs: null },
      });
      const third = post(client, url);
      hanging.shift()?.();
      expect(await first).toMatchObject({ outcome: 'delivered' });
      await waitUntil('the third has come', () => hanging.length === 1, { everyMs: 5 });
      hanging.shift()?.();
      expect(await third).toMatchObject({ outcome: 'delivered' });
      expect(all()).toBe(1);
    });

    it('end with the client, and every request with them: sent, waiting in line, or being connected', async () => {
      const { url } = await serve(() => undefined);
      const client = await createClient(1);
      const sent = [post(client, url, 60_000), post(client, url, 60_000)];
      const answer = Promise.withResolvers<string[]>();
      const slow = createHttpClient({
        clock: systemClock,
        allowHttp: true,
        allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
        maxConnectionsPerHost: 1,
        resolve: () => answer.promise,
      });
      await slow.start();
      sent.push(post(slow, url, 60_000));
      await Promise.all([client.stop(), slow.stop()]);
      answer.resolve(['127.0.0.1']);
      expect((await Promise.all(sent)).map(({ outcome }) => outcome)).toEqual(['connect', 'connect', 'connect']);
    });

    it('one that breaks under a request ends that one, which is not sent again', async () => {
      let requests = 0;
      const { url } = await serve((request, response) => {
        requests += 1;
        if (requests === 1) response.end();
        else request.socket.destroy();
      });
      const client = await createClient(1);
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(await post(client, url)).toMatchObject({
        outcome: 'connect',
        detail: 'the connection was closed before an answer',
      });
      expect(requests).toBe(2);
    });

    it('one that closed while it was idle costs no attempt', async () => {
      const watched = watchConnectionAttempts();
      closing.push(() => watched.stop());
      const server = createServer((_request, response) => void response.end());
      const { port, all } = await listen(server);
      const client = await createClient(1);
      for (let sent = 1; sent <= 3; sent += 1) {
        expect(await post(client, `http://receiver.test:${port}/`)).toMatchObject({ outcome: 'delivered' });
        server.closeIdleConnections();
        await waitUntil('its end is known here', () => watched.openSockets() === 0, { everyMs: 5 });
      }
      expect(all()).toBe(3);
    });

    it('the first request tells what opening took, the next that nothing was opened', async () => {
      const { url } = await serve((_request, response) => void response.end('yes'));
      const client = await createClient(1);
      const first = await post(client, url);
      expect(first.timing).toEqual({
        dnsMs: expect.any(Number) as number,
        connectMs: expect.any(Number) as number,
        tlsMs: null,
        firstByteMs: expect.any(Number) as number,
        bodyMs: expect.any(Number) as number,
      });
      expect((await post(client, url)).timing).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null });
    });
  });

  describe('by HTTP/2', () => {
    async function serve(onStream: (stream: ServerHttp2Stream) => void) {
      const server = createSecureServer({ cert: receiverCertificate, key: receiverKey });
      const sessions: ServerHttp2Session[] = [];
      server.on('session', (session) => void sessions.push(session.on('error', () => undefined)));
      server.on('stream', (stream) => {
        stream.on('error', () => undefined);
        onStream(stream);
      });
      const seen = await listen(server);
      return { ...seen, sessions, url: `https://receiver.test:${seen.port}/` };
    }
    const answer = (stream: ServerHttp2Stream): void => {
      if (stream.destroyed) return;
      stream.respond({ ':status': 200 });
      stream.end('by 2');
    };

    it('one carries requests side by side, up to a hundred', async () => {
      const open = new Map<unknown, number>();
      let mostStreams = 0;
      const { url, sessions } = await serve((stream) => {
        const streams = (open.get(stream.session) ?? 0) + 1;
        open.set(stream.session, streams);
        mostStreams = Math.max(mostStreams, streams);
        const { session } = stream;
        stream.on('close', () => open.set(session, (open.get(session) ?? 0) - 1));
        setTimeout(() => answer(stream), 50);
      });
      const client = await createClient(4);
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered', excerpt: Buffer.from('by 2') });
      const few = await Promise.all(Array.from({ length: 50 }, () => post(client, url)));
      expect(new Set(few.map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
      expect(sessions.length).toBe(1);
      expect(mostStreams).toBe(50);
      const many = await Promise.all(Array.from({ length: 500 }, () => post(client, url, 5_000)));
      expect(new Set(many.map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
      expect(sessions.length).toBeLessThanOrEqual(4);
      expect(mostStreams).toBe(100);
    });

    it('none is used for another host, even one that the server claims to be as well', async () => {
      const { url, port, sessions } = await serve((stream) => {
        const session = stream.session as ServerHttp2Session;
        session.origin(`https://other.test:${port}`);
        session.altsvc(`h2=":${port}"`, `https://other.test:${port}`);
        answer(stream);
      });
      const client = await createClient(4);
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(await post(client, url.replace('receiver.test', 'other.test'))).toMatchObject({ outcome: 'tls' });
      // The second server session ends with its handshake.
      expect(sessions.length).toBeLessThanOrEqual(2);
    });

    it('one outlives a stream that hangs while others are answered', async () => {
      let streams = 0;
      const { url, sessions } = await serve((stream) => {
        streams += 1;
        if (streams !== 2) answer(stream);
      });
      const client = await createClient(4);
      await post(client, url);
      const hanging = post(client, url, 200);
      await waitUntil('it hangs', () => streams === 2, { everyMs: 5 });
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(await hanging).toMatchObject({ outcome: 'timeout', detail: 'no answer within 200 ms' });
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(sessions.length).toBe(1);
    });

    it('one that has died in silence costs one time-out, not every attempt from then on', async () => {
      const { port: behind } = await serve(answer);
      const relayed: Socket[] = [];
      const relay = await listen(
        createTcpServer((near) => {
          const far = connect(behind, '127.0.0.1');
          for (const end of [near, far]) relayed.push(end.on('error', () => undefined));
          near.on('data', (chunk) => far.write(chunk));
          far.on('data', (chunk) => near.write(chunk));
          near.on('close', () => far.destroy());
        }),
      );
      const client = await createClient(4);
      const url = `https://receiver.test:${relay.port}/`;
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      for (const end of relayed) end.removeAllListeners('data');
      expect(await post(client, url, 200)).toMatchObject({ outcome: 'timeout' });
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(relay.all()).toBe(2);
    });

    it('a request that the server did not begin as it took leave is sent again, over a new one', async () => {
      let streams = 0;
      const { url, sessions } = await serve((stream) => {
        streams += 1;
        // The server says that it has not seen stream 3.
        if (streams === 2) stream.session?.goaway(0, 1);
        else answer(stream);
      });
      const client = await createClient(4);
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
      expect(sessions.length).toBe(2);
    });
  });
});
