/** Receivers behind TLS: whose certificates are wrong, and who speak HTTP/2, each wrong or slow in its own way. */
import { createSecureServer, constants, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { clientCertificate, expiredCertificate, expiredKey, receiverCertificate, receiverKey } from './certificates.ts';
import type { Animal } from './zoo.ts';

const receiver = { cert: receiverCertificate, key: receiverKey };
const refused = { outcome: 'tls' } as const;
const failed = { outcome: 'connect' } as const;
const late = { outcome: 'timeout' } as const;
const delivered = { outcome: 'delivered', status: 200 } as const;

type TlsAnimal = Pick<Animal, 'name' | 'expected' | 'isSlow' | 'hostname'> & { create(): Server };

const https = (options: object): Server =>
  createHttpsServer({ ...receiver, ...options }, (request, response) => {
    request.resume().on('end', () => response.end('yes'));
  });

function http2(
  onStream: (stream: ServerHttp2Stream) => void,
  settings: { maxConcurrentStreams?: number } = {},
): Server {
  const server: Http2SecureServer = createSecureServer({ ...receiver, settings });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    onStream(stream);
  });
  server.on('sessionError', () => undefined);
  server.on('session', (session) => session.on('error', () => undefined));
  return server;
}

const answer = (stream: ServerHttp2Stream): void => {
  stream.resume().on('end', () => {
    if (stream.destroyed) return;
    stream.respond({ ':status': 200 });
    stream.end('yes, by 2');
  });
};

export const tlsAnimals: readonly TlsAnimal[] = [
  {
    name: 'does not speak TLS',
    expected: { ...refused, detail: 'the server does not speak TLS' },
    create: () =>
      createServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  },
  {
    name: 'does not shake hands',
    expected: late,
    isSlow: true,
    create: () => createServer((socket) => void socket.resume()),
  },
  { name: 'answers by TLS', expected: delivered, create: () => https({}) },
  {
    name: 'has a certificate of another name',
    expected: { ...refused, detail: 'the certificate is for another name' },
    hostname: 'other.test',
    create: () => https({}),
  },
  {
    name: 'has an expired certificate',
    expected: { ...refused, detail: 'the certificate has expired' },
    create: () => https({ cert: expiredCertificate, key: expiredKey }),
  },
  {
    name: 'asks for a client certificate',
    expected: failed,
    create: () => https({ requestCert: true, rejectUnauthorized: true, ca: clientCertificate }),
  },
  {
    name: 'resets within the handshake',
    expected: refused,
    create: () => createServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
  },
  { name: 'answers by HTTP/2', expected: delivered, create: () => http2(answer) },
  { name: 'takes one stream at a time', expected: delivered, create: () => http2(answer, { maxConcurrentStreams: 1 }) },
  { name: 'takes no streams', expected: late, isSlow: true, create: () => http2(answer, { maxConcurrentStreams: 0 }) },
  { name: 'says nothing on its stream', expected: late, isSlow: true, create: () => http2(() => undefined) },
  {
    name: 'resets its stream',
    expected: failed,
    create: () => http2((stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)),
  },
  {
    name: 'refuses each stream',
    expected: failed,
    create: () => http2((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)),
  },
  {
    name: 'resets within the body of its stream',
    expected: delivered,
    create: () =>
      http2((stream) => {
        stream.respond({ ':status': 200 });
        stream.write('half', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
      }),
  },
  {
    name: 'sends DATA without an end',
    expected: delivered,
    create: () =>
      http2((stream) => {
        stream.respond({ ':status': 200 });
        const write = (): void => {
          while (!stream.destroyed && stream.write('x'.repeat(10_000)));
          if (!stream.destroyed) stream.once('drain', write);
        };
        write();
      }),
  },
  {
    name: 'stalls within the body of its stream',
    expected: delivered,
    isSlow: true,
    create: () => http2((stream) => (stream.respond({ ':status': 200 }), stream.write('almost'))),
  },
  {
    name: 'takes leave instead of answering',
    expected: failed,
    create: () => http2((stream) => stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR, 0)),
  },
  {
    name: 'takes leave while it answers',
    expected: delivered,
    create: () =>
      http2((stream) => {
        stream.session?.close();
        answer(stream);
      }),
  },
  { name: 'drops its session', expected: failed, create: () => http2((stream) => stream.session?.destroy()) },
  {
    name: 'cuts the connection of its session',
    expected: failed,
    create: () => http2((stream) => stream.session?.socket.destroy()),
  },
  {
    name: 'sends interim answers without an end on its stream',
    expected: { ...failed, detail: 'too many interim answers (1xx)' },
    create: () =>
      http2((stream) => {
        const hint = (): void => {
          if (stream.destroyed) return;
          stream.additionalHeaders({ ':status': 103, link: '</a>' });
          setImmediate(hint);
        };
        hint();
      }),
  },
  {
    name: 'refuses before it has read its stream',
    expected: { outcome: 'http_4xx', status: 413 },
    create: () =>
      http2((stream) => {
        stream.respond({ ':status': 413 }, { endStream: true });
        stream.close(constants.NGHTTP2_NO_ERROR);
      }),
  },
  {
    name: 'agrees to HTTP/2 and does not speak it',
    expected: failed,
    create: () =>
      createTlsServer({ ...receiver, ALPNProtocols: ['h2'] }, (socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0-x\r\n'),
      ),
  },
];
