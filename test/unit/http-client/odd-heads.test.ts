import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createHttpClient, type HttpClient, type HttpResult, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';
// Imported from within the lib: a head as long as a receiver likes must not cost more than its length.
import { readOddHead } from '../../../libs/http-client/odd-head.ts';
import { compareHeads } from '../../support/response-heads/compare.ts';
import { receiverCertificate, receiverKey } from '../../support/receiver-zoo/certificates.ts';

/** By day some; the night has 20,000. */
const heads = 1_000;

describe('an answer with an odd head', () => {
  const closing: (() => unknown)[] = [];
  let client: HttpClient;

  /** Answers each request with these pieces, each a turn after the one before, and keeps the connection open. */
  async function receiver(pieces: readonly string[], tls = false): Promise<{ url: string; connections: () => number }> {
    let connections = 0;
    const onConnection = (socket: Socket): void => {
      connections += 1;
      closing.push(() => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('data', () => {
        const write = (piece: string): void => void (socket.destroyed || socket.write(piece, 'latin1'));
        pieces.forEach((piece, turn) => setTimeout(write, turn * 20, piece));
      });
    };
    const server: Server = tls
      ? createTlsServer({ cert: receiverCertificate, key: receiverKey }, onConnection)
      : createServer(onConnection);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `${tls ? 'https' : 'http'}://receiver.test:${port}/`, connections: () => connections };
  }
  const post = (url: string): Promise<HttpResult> =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 2_000 });

  beforeEach(async () => {
    client = createHttpClient({
      clock: systemClock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
      maxConnectionsPerHost: 10,
      resolve: async () => ['127.0.0.1'],
      ca: receiverCertificate,
    });
    await client.start();
  });
  afterEach(async () => {
    await client.stop();
    for (const close of closing.splice(0).reverse()) close();
  });

  const length = 'Content-Length: 2\r\n';
  const answers: readonly (readonly [what: string, head: string, oddity: string])[] = [
    ['a folded header', `X-Policy: one;\r\n two\r\n${length}\r\n`, 'a header is folded over several lines'],
    ['line feeds alone', 'Content-Length: 2\n\n', 'lines end in a line feed alone'],
    ['a blank before a colon', `Server : device\r\n${length}\r\n`, 'a blank stands before a colon'],
    ['two equal lengths', `${length}${length}\r\n`, 'Content-Length comes more than once'],
    ['two lengths', `${length}Content-Length: 3\r\n\r\n`, 'Content-Length comes more than once'],
    [
      'a length beside chunks',
      `${length}Transfer-Encoding: chunked\r\n\r\n`,
      'Content-Length and Transfer-Encoding come together',
    ],
    ['a control character', `X-Name: a\x01b\r\n${length}\r\n`, 'a header has control characters in it'],
    ['a line without a colon', `done\r\n${length}\r\n`, 'a line is no header'],
    ['a length that is no number', 'Content-Length: two\r\n\r\n', 'it does not keep to HTTP/1.1'],
    ['a head that is too long', `X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'the answer’s head is too long'],
  ];

  it.each(answers)('is an answer with %s, which it says; the connection ends', async (_what, head, oddity) => {
    const { url, connections } = await receiver([`HTTP/1.1 200 OK\r\n${head}ok`]);
    expect(await post(url)).toMatchObject({ outcome: 'delivered', status: 200, oddity });
    expect(await post(url)).toMatchObject({ outcome: 'delivered', status: 200, oddity });
    expect(connections()).toBe(2);
  });

  it('has its status, whatever that is, its time to wait and its headers as far as they can be read', async () => {
    const folded = 'X-Folded: one\n  two\nX-Control: a\x01b\nRetry-After: 300 \nno colon\n: nameless\n__proto__: x\n\n';
    const { url } = await receiver([`HTTP/1.1 429 Slow Down\n${folded}`]);
    const result = await post(url);
    expect(result).toMatchObject({ outcome: 'http_4xx', status: 429, retryAfter: '300' });
    expect('headers' in result && result.headers).toEqual([
      ['x-folded', 'one two'],
      ['x-control', 'a\\x01b'],
      ['retry-after', '300'],
      ['__proto__', 'x'],
    ]);
  });

  it.each([
    ['in several pieces', ['HTTP/1.', '1 20', '0 OK\r\nX-A', ': b\r\nServer ', ': x\r\n\r\n'], 200],
    ['after interim ones', ['HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n', 'HTTP/1.1 202 Yes\nX: a\n\n'], 202],
    ['behind an odd interim one', ['HTTP/1.1 103 Early\nLink : </a>\n\nHTTP/1.1 503 No\r\n\r\n'], 503],
    ['behind `100 Continue`', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n'], 201],
    ['of a later version', ['HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n'], 200],
    ['whose status is of no class', ['HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n'], 99],
  ])('is found %s', async (_how, pieces, status) => {
    const { url } = await receiver(pieces);
    expect(await post(url)).toMatchObject({
      outcome: status >= 200 && status < 300 ? 'delivered' : 'http_5xx',
      status,
    });
  });

  it('is found behind TLS', async () => {
    const { url } = await receiver(['HTTP/1.1 200 OK\nX: a\n\n'], true);
    expect(await post(url)).toMatchObject({ outcome: 'delivered', oddity: 'lines end in a line feed alone' });
  });

  it.each([
    ['an interim status alone', 'HTTP/1.1 103 Early\nLink : </a>\n\n'],
    ['a change of protocols', 'HTTP/1.1 101 Yes\nUpgrade: x\n\nHTTP/1.1 200 OK\n\n'],
    ['part of a status line', 'HTTP/1.2 20'],
    ['no HTTP', '220 mail.test ESMTP\r\n'],
    ['another protocol', 'RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    [
      'another protocol behind an interim answer',
      'HTTP/1.1 103 Early\r\n\r\nRTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n',
    ],
  ])('is none where there is %s', async (_what, bytes) => {
    const { url } = await receiver([bytes]);
    expect(await post(url)).toMatchObject({ outcome: 'connect' });
  });

  it('is read no further than the request before it: each has its own answer', async () => {
    const answered = ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'no HTTP\r\n'];
    const server = createServer((socket) => {
      closing.push(() => socket.destroy());
      socket.on('error', () => undefined).on('data', () => void socket.write(answered.shift() ?? ''));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => server.close());
    const url = `http://receiver.test:${(server.address() as AddressInfo).port}/`;
    expect(await post(url)).toMatchObject({ outcome: 'delivered' });
    expect(await post(url)).toMatchObject({ outcome: 'connect', detail: 'the answer is not HTTP' });
  });

  it('is read in a time that grows with its length alone', () => {
    const startedAtMs = performance.now();
    for (const filling of ['x', ' ', '\r', ':', '\n ', 'a:\n'])
      for (const start of ['', 'HTTP/1.1 200 OK\n', 'HTTP/1.1 103 Early\n'])
        readOddHead(Buffer.from(start + filling.repeat(80_000 / filling.length)), new Error('given up'));
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  });

  it(`is one where RFC 9112 has a status line, and no other is: ${heads} generated heads`, async () => {
    const { answers: read, odd, different } = await compareHeads({ heads, seed: 1 });
    expect(different).toEqual([]);
    expect(read).toBeGreaterThan(heads / 3);
    expect(odd).toBeGreaterThan(heads / 4);
  });
});
