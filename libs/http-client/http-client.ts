/**
 * One HTTP request to a stranger's server, and what came of it. Bounded in every way that the server could stretch it: connecting, the
 * answer's head, its body; a redirect is an answer and is never followed.
 */
import { Agent } from 'undici';
import type { Clock } from '#lib/clock';
import type { AttemptOutcome } from '#lib/contract';
import { createPart, type Part } from '#lib/lifecycle';
import { createNameResolver } from './name-resolver.ts';
import { vetScheme, type UrlPolicy } from './vet-url.ts';
import { ConnectFailure, createVettingConnector, type Resolve, resolveBySystem } from './vetting-connector.ts';

export interface HttpRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** From now to the answer's head, connecting included. */
  timeoutMs: number;
}

export type HttpResult =
  | {
      outcome: Extract<AttemptOutcome, 'delivered' | 'http_4xx' | 'http_5xx' | 'redirect'>;
      status: number;
      retryAfter: string | undefined;
      /** The first bytes of the body. */
      excerpt: Buffer;
    }
  | { outcome: Exclude<AttemptOutcome, 'delivered' | 'http_4xx' | 'http_5xx' | 'redirect'>; detail: string };

export interface HttpClient extends Part {
  /** Never rejects for what the server or the way to it does. */
  send(request: HttpRequest): Promise<HttpResult>;
}

interface Options extends UrlPolicy {
  clock: Clock;
  /** At the bound, requests wait for a connection within their time-out: keep it at what may be in flight at once. */
  maxConnectionsPerHost: number;
  resolve?: Resolve;
  ca?: string;
}

/** Two SYNs: the first is repeated after 1 s, the second after 3 s. */
const connectTimeoutMs = 3_000;
const maxExcerptBytes = 8 * 1024;
/** The status is the answer; the body is for whoever reads the attempt, and not worth holding a connection for. */
const maxExcerptMs = 1_000;

export function createHttpClient(options: Options): HttpClient {
  const { clock } = options;
  const agent = new Agent({
    connect: createVettingConnector({
      allowedNetworks: options.allowedNetworks,
      resolve: options.resolve ?? createNameResolver({ clock, resolveBySystem }),
      timeoutMs: connectTimeoutMs,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
    connections: options.maxConnectionsPerHost,
    pipelining: 1,
    allowH2: false,
    // One time limit of ours over all of it instead.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: 60_000,
  });

  async function send(request: HttpRequest): Promise<HttpResult> {
    const url = URL.parse(request.url);
    if (url === null) return { outcome: 'blocked', detail: 'not a URL' };
    const scheme = vetScheme(url, options);
    if (!scheme.allowed) return { outcome: 'blocked', detail: scheme.reason };

    const limit = startTimeLimit(clock, request.timeoutMs);
    try {
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal: limit.signal,
      });
      limit.stop();
      const retryAfter = headers['retry-after'];
      return {
        outcome: outcomeOf(statusCode),
        status: statusCode,
        retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        excerpt: await readExcerpt(body, clock),
      };
    } catch (error) {
      if (limit.signal.aborted) return { outcome: 'timeout', detail: `no answer within ${request.timeoutMs} ms` };
      if (error instanceof ConnectFailure) return { outcome: error.kind, detail: error.message };
      return { outcome: 'connect', detail: `the connection failed: ${(error as Error).message}` };
    } finally {
      limit.stop();
    }
  }

  return {
    ...createPart(
      'http client',
      async () => undefined,
      () => agent.destroy(),
    ),
    send,
  };
}

function outcomeOf(status: number) {
  if (status < 300) return 'delivered';
  if (status < 400) return 'redirect';
  return status < 500 ? 'http_4xx' : 'http_5xx';
}

function startTimeLimit(clock: Clock, timeoutMs: number): { signal: AbortSignal; stop(): void } {
  const limit = new AbortController();
  const stopped = new AbortController();
  void clock.sleep(timeoutMs, stopped.signal).then(() => {
    if (!stopped.signal.aborted) limit.abort();
  });
  return { signal: limit.signal, stop: () => stopped.abort() };
}

/** Up to the cap or the time limit; whatever else the body has is not waited for, at the price of the connection. */
async function readExcerpt(body: AsyncIterable<Buffer> & { destroy(): unknown }, clock: Clock): Promise<Buffer> {
  const limit = startTimeLimit(clock, maxExcerptMs);
  limit.signal.addEventListener('abort', () => body.destroy());
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxExcerptBytes) break;
    }
  } catch {
    // Broken off by the server or by the limit: what has come is the excerpt.
  }
  limit.stop();
  return Buffer.concat(chunks).subarray(0, maxExcerptBytes);
}
