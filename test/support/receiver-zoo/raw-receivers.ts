/** Receivers that speak HTTP/1.1 byte by byte, each wrong or slow in its own way. */
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Animal } from './zoo.ts';

/** Called once a request's head has come, for each. */
type Reaction = (socket: Socket, requestOfConnection: number) => void;

const headEnd = '\r\n\r\n';
const ok = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}${headEnd}${body}`;
const refusing = (status: number, headers: string): string =>
  `HTTP/1.1 ${status} No\r\n${headers}content-length: 0${headEnd}`;

/** Writes it again and again, as fast as it is read. */
function writeForEver(socket: Socket, text: string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', () => setImmediate(write));
  };
  write();
}

function trickle(socket: Socket, text: string, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(text[at++ % text.length] ?? '');
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
const failed = { outcome: 'connect' } as const;
const late = { outcome: 'timeout' } as const;
const delivered = { outcome: 'delivered', status: 200 } as const;

export const rawAnimals: readonly (Pick<Animal, 'name' | 'expected' | 'isSlow'> & {
  react: Reaction;
  atAccept?: true;
})[] = [
  { name: 'answers', expected: delivered, react: (socket) => socket.write(ok('yes')) },
  { name: 'says nothing', expected: late, isSlow: true, react: () => undefined },
  {
    name: 'stops within the head',
    expected: late,
    isSlow: true,
    react: (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a'),
  },
  {
    name: 'stops within the body',
    expected: delivered,
    isSlow: true,
    react: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 100${headEnd}almost`),
  },
  { name: 'resets at once', expected: failed, atAccept: true, react: (socket) => socket.resetAndDestroy() },
  { name: 'resets after the request', expected: failed, react: (socket) => socket.resetAndDestroy() },
  {
    name: 'resets within the head',
    expected: failed,
    react: (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a', () => socket.resetAndDestroy()),
  },
  {
    name: 'breaks off within the body',
    expected: delivered,
    react: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 100${headEnd}half`, () => socket.end()),
  },
  { name: 'closes without an answer', expected: failed, react: (socket) => socket.end() },
  {
    name: 'trickles its head',
    expected: late,
    isSlow: true,
    react: (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\n' + 'x-a: b\r\n'.repeat(1_000), 5),
  },
  {
    name: 'trickles its body',
    expected: delivered,
    isSlow: true,
    react: (socket) => (socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 100000${headEnd}`), trickle(socket, 'x', 5)),
  },
  {
    name: 'sends a body without an end',
    expected: delivered,
    react: (socket) => {
      socket.write(`HTTP/1.1 200 OK${headEnd}`);
      writeForEver(socket, 'x'.repeat(10_000));
    },
  },
  {
    name: 'sends chunks without an end',
    expected: delivered,
    react: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked${headEnd}`);
      writeForEver(socket, `3e8\r\n${'x'.repeat(1_000)}\r\n`);
    },
  },
  {
    name: 'sends a gzip bomb',
    expected: delivered,
    react: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}${headEnd}`);
      socket.write(bomb);
    },
  },
  {
    name: 'sends headers without an end',
    expected: { ...delivered, oddity: 'the answer’s head is too long' },
    react: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeForEver(socket, `x-more: ${'and more '.repeat(30)}\r\n`.repeat(10));
    },
  },
  {
    name: 'sends one header without an end',
    expected: { ...delivered, oddity: 'the answer’s head is too long' },
    react: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      writeForEver(socket, 'x'.repeat(1_000));
    },
  },
  {
    name: 'sends interim answers without an end',
    expected: { ...failed, detail: 'too many interim answers (1xx)' },
    react: (socket) => writeForEver(socket, `HTTP/1.1 103 Early Hints\r\nlink: </a>${headEnd}`.repeat(100)),
  },
  {
    name: 'sends interim answers before its own',
    expected: delivered,
    react: (socket) =>
      socket.write(`HTTP/1.1 102 Processing${headEnd}HTTP/1.1 103 Early Hints\r\nlink: </a>${headEnd}${ok('yes')}`),
  },
  {
    name: 'switches protocols',
    expected: failed,
    react: (socket) => socket.write(`HTTP/1.1 101 Yes\r\nupgrade: x${headEnd}`),
  },
  {
    name: 'does not speak HTTP',
    expected: { ...failed, detail: 'the answer is not HTTP' },
    react: (socket) => socket.write('SSH-2.0-x\r\n'),
  },
  {
    name: 'says two lengths',
    expected: { ...delivered, oddity: 'Content-Length comes more than once' },
    react: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2${headEnd}ab`),
  },
  {
    name: 'ends its body by closing',
    expected: delivered,
    react: (socket) => socket.end(`HTTP/1.0 200 OK${headEnd}to the end`),
  },
  {
    name: 'sends a body with 204',
    expected: { outcome: 'delivered', status: 204 },
    react: (socket) => socket.write(`HTTP/1.1 204 No Content\r\ncontent-length: 5${headEnd}hello`),
  },
  {
    name: 'refuses before it has read',
    expected: { outcome: 'http_4xx', status: 413 },
    react: (socket) => {
      socket.pause();
      socket.end(refusing(413, 'connection: close\r\n'));
    },
  },
  {
    name: 'closes after each answer, unannounced',
    expected: delivered,
    react: (socket) => socket.write(ok('yes'), () => socket.end()),
  },
  {
    name: 'is gone',
    expected: { outcome: 'http_4xx', status: 410 },
    react: (socket) => socket.write(refusing(410, '')),
  },
  {
    name: 'asks for seconds',
    expected: { outcome: 'http_4xx', status: 429, retryAfter: '120' },
    react: (socket) => socket.write(refusing(429, 'retry-after: 120\r\n')),
  },
  {
    name: 'asks for a date',
    expected: { outcome: 'http_5xx', status: 503, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    react: (socket) => socket.write(refusing(503, 'retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n')),
  },
  {
    name: 'sends elsewhere',
    expected: { outcome: 'redirect', status: 307 },
    react: (socket) => socket.write(refusing(307, 'location: http://169.254.169.254/\r\n')),
  },
];

/** Reacts to each request on its connections, whose bodies are ignored. */
export function rawServer(react: Reaction, atAccept: boolean): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    if (atAccept) return react(socket, 0);
    let unread = '';
    let bodyLeft = 0;
    let requests = 0;
    socket.on('data', (chunk) => {
      const skipped = Math.min(bodyLeft, chunk.length);
      bodyLeft -= skipped;
      unread += chunk.subarray(skipped).toString('latin1');
      for (let end = unread.indexOf(headEnd); end >= 0; end = unread.indexOf(headEnd)) {
        const length = Number(/content-length: (\d+)/i.exec(unread.slice(0, end))?.[1] ?? 0);
        const rest = unread.slice(end + headEnd.length);
        unread = rest.slice(length);
        bodyLeft = Math.max(0, length - rest.length);
        react(socket, (requests += 1));
      }
    });
  });
}
