/** Requests byte by byte, also such as no client would send, and what comes back on their connection. */
import { connect } from 'node:net';

/** Text is taken for its bytes, one a character (latin1). */
export interface RawRequest {
  method: string;
  /** Path and query as they are sent. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** Content-Length is added to it, unless the headers frame it already. */
  body?: Buffer;
}

export interface RawAnswer {
  status: number;
  /** By lower-case name; of one that comes twice the last. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

export interface Exchange {
  /** Complete answers. */
  answers: RawAnswer[];
  /** `open`: the server had not closed it in time. */
  connection: 'closed' | 'open';
  tookMs: number;
}

const framing = new Set(['content-length', 'transfer-encoding']);

export function bytesOf({ method, target, headers, body }: RawRequest): Buffer {
  const isFramed = headers.some(([name]) => framing.has(name.toLowerCase()));
  const all = body === undefined || isFramed ? headers : [...headers, ['content-length', String(body.length)] as const];
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

interface Options {
  url: string;
  bytes: Buffer;
  /** Answers to HEAD have no body. */
  isHead?: boolean;
  timeoutMs: number;
  /**
   * Resolves as soon as one answer is there. Else nothing more is said on the connection, and it is read to its end: who is done talking before
   * the answer is taken for gone.
   */
  untilAnswer: boolean;
}

export function exchange({ url, bytes, isHead = false, timeoutMs, untilAnswer }: Options): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const end = (connection: Exchange['connection']): void => {
      clearTimeout(timer);
      socket.destroy();
      const answers = readAnswers(received, { isHead, isOver: connection === 'closed' });
      resolve({ answers, connection, tookMs: performance.now() - startedAtMs });
    };
    const timer = setTimeout(() => end('open'), timeoutMs);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (untilAnswer && readAnswers(received, { isHead, isOver: false }).length > 0) end('closed');
    });
    // It may be cut while we still write: what has come until then counts.
    socket.on('error', () => undefined);
    socket.on('end', () => end('closed'));
    socket.on('close', () => end('closed'));
    if (untilAnswer) socket.write(bytes);
    else socket.end(bytes);
  });
}

function readAnswers(bytes: Buffer, { isHead, isOver }: { isHead: boolean; isOver: boolean }): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) break;
    const [first = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
    const headers = new Map(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', valueOf(line)]));
    at = headEnd + 4;
    if (status >= 100 && status < 200) continue;
    const hasBody = !isHead && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers.get('content-length') ?? (isOver ? bytes.length - at : Number.NaN)) : 0;
    if (Number.isNaN(length) || at + length > bytes.length) break;
    answers.push({ status, headers, body: bytes.subarray(at, at + length) });
    at += length;
  }
  return answers;
}

const valueOf = (line: string): string => line.slice(line.indexOf(':') + 1).trim();
