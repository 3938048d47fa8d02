import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeContent } from '#lib/payload';
import { type Problem, problem, problemContentType } from '#lib/problem';
import { type Clock, createPart, type Part, type Random } from '#lib/runtime';
import type { HeaderValues } from '#lib/signatures';
import { CommandFailure, usageFailure } from '../command-failure.ts';
import { collectHeaders, readDuration } from '../options/values.ts';
import { type Trust, type Verdict, verifyArrival } from './arrivals.ts';
import { type Forwarded } from './forward.ts';

const maxBodyBytes = 10 * 1024 * 1024;
/** Bytes that are read of a body above the limit: a sender reads the answer only after it has sent. */
const maxReadBytes = 10 * maxBodyBytes;

/** The whole body, or undefined if it is above the limit. @throws if the sender disconnects */
async function readArrivingBody(request: IncomingMessage): Promise<{ body: Buffer | undefined; bytes: number }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxReadBytes) break;
  }
  return { body: bytes > maxBodyBytes ? undefined : Buffer.concat(chunks), bytes };
}

/** The answer to a request: a status, none at all, or a reset of the connection. */
export type Answer = number | 'timeout' | 'reset';

export interface AnswerPlan {
  /** Undefined: 200, or the ingress's refusal if the signature is not verified. */
  status: number | undefined;
  /** Shares of all requests; the rest, up to 1, gets the status above. */
  failures: readonly { answer: Answer; share: number }[];
  delayMs: { min: number; max: number };
}

export function readAnswerPlan(given: {
  status?: string | undefined;
  fail?: readonly string[] | undefined;
  delay?: string | undefined;
}): AnswerPlan {
  const { status, fail = [], delay = '0ms' } = given;
  const failures = fail.map(readFailure);
  const whole = failures.reduce((sum, { share }) => sum + share, 0);
  // Tenths do not add up to 1 exactly.
  if (whole > 1 + 1e-9) throw usageFailure(`--fail: the shares add up to ${whole}, more than 1`);
  return {
    status: status === undefined ? undefined : readStatus('status', status),
    failures,
    delayMs: readDelay(delay),
  };
}

/** @param verdictStatus the status that the signature's verdict asks for */
export function chooseAnswer({ status, failures }: AnswerPlan, verdictStatus: number, random: Random): Answer {
  let left = random();
  for (const { answer, share } of failures) {
    if (left < share) return answer;
    left -= share;
  }
  return status ?? verdictStatus;
}

export const chooseDelayMs = ({ delayMs: { min, max } }: AnswerPlan, random: Random): number =>
  min + (max - min) * random();

function readFailure(text: string): AnswerPlan['failures'][number] {
  const [, what = '', shareText = ''] = /^(timeout|reset|\d+)@(\d(?:\.\d{1,9})?|\.\d{1,9})$/.exec(text) ?? [];
  const share = Number(shareText);
  if (!(share > 0 && share <= 1))
    throw usageFailure(`--fail must be STATUS@SHARE such as 500@0.3, timeout@0.1 or reset@0.1, not ${text}`);
  return { answer: what === 'timeout' || what === 'reset' ? what : readStatus('fail', what), share };
}

/** Not 1xx, which are no answers yet. */
function readStatus(option: string, text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw usageFailure(`--${option} must be a status from 200 to 599, not ${text}`);
}

function readDelay(text: string): AnswerPlan['delayMs'] {
  const [from = '', to = from, ...more] = text.split('..');
  const [min, max] = [readDuration('delay', from), readDuration('delay', to)];
  if (more.length === 0 && min <= max) return { min, max };
  throw usageFailure(`--delay must be a time such as 200ms or a range such as 1s..3s, not ${text}`);
}

/** One request and its answer. */
export interface Arrival {
  atMs: number;
  method: string;
  /** With its query. */
  path: string;
  headers: HeaderValues;
  body: Buffer;
  /** The body for people: decoded from its Content-Encoding if that is possible. */
  content: Buffer;
  /** Length of the body; for one that was too large, and is not kept, the bytes that were read. */
  bytes: number;
  verdict: Verdict | 'payload_too_large';
  answer: Answer | 'not forwarded';
  /** True if the sender closed the connection before the answer. */
  senderLeft: boolean;
}

export interface Listener extends Part {
  /** Once it has started. */
  url(): string;
}

interface Options {
  host: string;
  port: number;
  /** The trust that holds when a request arrives. */
  trust(): Trust;
  plan: AnswerPlan;
  clock: Clock;
  random: Random;
  /** Sends what is verified on; its status is the answer. */
  forward?: ((request: Forwarded) => Promise<number>) | undefined;
  /** Called just before the answer, and after it. */
  onArrival(arrival: Arrival): void;
  onAnswered(): void;
  /** A sender went away before its body was whole. */
  onBrokenOff(): void;
}

/** An endpoint's own headers may have 16 kB, in addition to Hookline's. */
const maxHeaderSize = 64 * 1024;

export function createListener(options: Options): Listener {
  const { clock, random, plan } = options;
  const stopped = new AbortController();

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = clock.nowMs();
    const { method = '', url: path = '/' } = request;
    const read = await readArrivingBody(request).catch(() => undefined);
    if (read === undefined) return options.onBrokenOff();
    const { body = Buffer.alloc(0), bytes } = read;
    const isTooLarge = read.body === undefined;
    const headers = collectHeaders(pairsOf(request.rawHeaders));
    const [, query = ''] = /^[^?]*(\?.*)$/s.exec(path) ?? [];
    const verdict = isTooLarge
      ? 'payload_too_large'
      : verifyArrival(options.trust(), { headers, query, body, nowSeconds: Math.floor(atMs / 1_000) });
    const refusal = refusalOf(verdict);
    // A body that was not read can't be verified.
    const answer = isTooLarge
      ? 413
      : options.forward !== undefined && refusal === undefined
        ? await options.forward({ method, headers, body })
        : chooseAnswer(plan, refusal?.status ?? 200, random);

    if (answer !== 'timeout') await clock.sleep(chooseDelayMs(plan, random), stopped.signal);
    if (stopped.signal.aborted) return;
    const content = await contentOf(body, headers);
    const senderLeft = response.destroyed;
    options.onArrival({ atMs, method, path, headers, body, content, bytes, verdict, answer, senderLeft });
    await respond(answer, refusal, request, response);
    options.onAnswered();
  }

  const server = createServer({ maxHeaderSize }, (request, response) => void take(request, response));

  return {
    ...createPart(
      'listener',
      async () => {
        server.listen(options.port, options.host);
        await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
          throw new CommandFailure(1, whyNot(error, options));
        });
      },
      () =>
        new Promise((resolve) => {
          stopped.abort();
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    ),
    url() {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
    },
  };
}

export async function contentOf(body: Buffer, { 'content-encoding': encoding }: HeaderValues): Promise<Buffer> {
  const decoded = await decodeContent(body, typeof encoding === 'string' && encoding !== '' ? encoding : null);
  return 'content' in decoded ? decoded.content : body;
}

/** The ingress's answer. */
const refusalOf = (verdict: Arrival['verdict']): Problem | undefined =>
  verdict === 'verified' || verdict === 'no secret given' ? undefined : problem(verdict);

async function respond(
  answer: Answer,
  refusal: Problem | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The connection stays open until its sender or this process ends.
  if (answer === 'timeout') return;
  if (answer === 'reset') return void request.socket.resetAndDestroy();
  if (response.destroyed) return;
  const closed = once(response, 'close');
  // The rest of a too large body is still arriving.
  if (answer === 413) response.setHeader('connection', 'close');
  if (refusal?.status === answer) {
    response.writeHead(answer, { 'content-type': problemContentType }).end(JSON.stringify(refusal));
  } else {
    response.writeHead(answer).end();
  }
  await closed;
}

function whyNot({ code, message }: NodeJS.ErrnoException, { host, port }: Options): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use: give another --port, or 0 for any free port`;
  if (code === 'EACCES') return `no permission to listen on port ${port}: give another --port`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `${host} is not an address of this machine`;
  return message;
}

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));
