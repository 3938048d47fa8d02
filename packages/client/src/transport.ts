/** One request and its answer, without meaning. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** As the client makes them. */
export interface HttpRequest extends AnyRequest {
  method: Method;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

interface AnyRequest {
  method: string;
  /** With its query, as it is sent. */
  path: string;
  /** A list is a header that is sent so many times. */
  headers: Readonly<Record<string, string | string[]>>;
  body?: string | Buffer | undefined;
  /** For what the API holds on purpose; default: that of the transport. */
  timeoutMs?: number | undefined;
  /** Aborts when nobody waits for the answer: the call ends, and with it what the API does for it. */
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  /** By lower-case name; the first of several. */
  header(name: string): string | undefined;
  bytes: Buffer;
}

/** An answer, or in words why there is none. */
export type HttpResult = HttpAnswer | { noAnswer: string };

/** Never rejects. */
export type Transport = (request: HttpRequest) => Promise<HttpResult>;

/** Longer than the API holds any request. */
const usualTimeoutMs = 30_000;

/** Connections stay open while they are used. */
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

/**
 * Not `fetch`, which refuses ports that a stack may well be on.
 *
 * @param url what all paths are below: of the API, without `/v1`
 */
export function createTransport(url: string): (request: AnyRequest) => Promise<HttpResult> {
  const { protocol, hostname, port, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const [send, agent] = protocol === 'https:' ? [requestHttps, agents.https] : [requestHttp, agents.http];

  function answerTo({ method, path, headers, body }: AnyRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const options = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: base + path, method, headers };
    const sent = send({ ...options, agent, signal }, (answer) => void read(answer).then(resolve, reject));
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }

  return async (request) => {
    const limitMs = request.timeoutMs ?? usualTimeoutMs;
    const limit = AbortSignal.timeout(limitMs);
    const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
    try {
      return await answerTo(request, signal);
    } catch (error) {
      return { noAnswer: limit.aborted ? `no answer within ${limitMs / 1_000} s` : describe(error as Error) };
    }
  };
}

async function read(answer: IncomingMessage): Promise<HttpAnswer> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return {
    status: answer.statusCode ?? 0,
    header: (name) => [answer.headers[name]].flat()[0],
    bytes: Buffer.concat(parts),
  };
}

/** A name with several addresses fails once for each, and the AggregateError itself has no message. */
const describe = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join('; ') : error.message;
