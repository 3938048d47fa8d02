/**
 * One request and its response, from waiting for a connection to the end of the body.
 *
 *   waiting ─► sent ─► answered ─► done          the limit of the request holds up to `answered`, that of the body from there
 *      │         │         └─ the limit of the body, or enough of it: done with the part that arrived
 *      │         ├─ the parser gives up a head whose status line is complete: done, with that status (odd-head.ts)
 *      └─────────┴─ the limit, an error: done, failed
 *
 * If a connection closes before its request was sent, another connection takes it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '#lib/runtime';
import { keptHeaders } from './answer-headers.ts';
import type { ConnectionPool, Place } from './connection-pool.ts';
import { type Connection, ConnectionGone } from './connection.ts';
import type { Destination } from './destination.ts';
import type { HttpAnswer, HttpRequest, HttpResult, HttpTiming } from './http-exchange.ts';
import { bodyLimitMs, maxBodyBytes, maxExcerptBytes, maxInterimAnswers } from './limits.ts';
import { isInterim, isNotHttp, readOddHead } from './odd-head.ts';
import type { Opening } from './open-socket.ts';
import { failureOf, isParserError, notHttp, type Phase, SendFailure, timedOut } from './send-failure.ts';

type Controller = Dispatcher.DispatchController;

/** Limit on resends when fresh connections keep closing. */
const maxUnsent = 5;

const nothing = Buffer.alloc(0);

interface Deps {
  clock: Clock;
  /** Called each time: an emptied pool is no longer in use. */
  pool(): ConnectionPool;
}

/** Never rejects. */
export function exchange(
  { clock, pool }: Deps,
  request: HttpRequest,
  { origin, path }: Pick<Destination, 'origin' | 'path'>,
): Promise<HttpResult> {
  const { promise, resolve } = Promise.withResolvers<HttpResult>();
  let place: Place;
  let connection: Connection | undefined;
  let opened: Opening | undefined;
  let controller: Controller | undefined;
  let sentAtMs: number | undefined;
  let answer: { status: number; headers: IncomingHttpHeaders; oddity?: string; atMs: number } | undefined;
  let interimAnswers = 0;
  let unsent = 0;
  let settled = false;
  const chunks: Buffer[] = [];
  let bodyBytes = 0;
  let stopLimit = clock.startLimit(request.timeoutMs, giveUp);

  const options: Dispatcher.DispatchOptions = {
    origin,
    path,
    method: request.method,
    headers: request.headerLists === undefined ? request.headers : { ...request.headerLists, ...request.headers },
    body: request.body,
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Its time was up while it waited for a stream.
      if (settled) return started.abort(new Error('the request was given up'));
      controller = started;
      connection?.begin();
      sentAtMs = clock.monotonicMs();
    },
    onResponseStart(_controller, status, headers) {
      if (settled) return;
      const atMs = clock.monotonicMs();
      if (connection !== undefined) connection.heardAtMs = atMs;
      if (isInterim(status)) {
        interimAnswers += 1;
        if (interimAnswers > maxInterimAnswers) fail(new SendFailure('connect', 'too many interim answers (1xx)'));
        return;
      }
      if (connection !== undefined && isForeign(connection)) return fail(new SendFailure('connect', notHttp));
      answer = { status, headers, atMs };
      stopLimit();
      stopLimit = clock.startLimit(bodyLimitMs, cutOff);
    },
    onResponseData(_controller, chunk) {
      if (settled) return;
      if (bodyBytes < maxExcerptBytes) chunks.push(chunk);
      bodyBytes += chunk.length;
      if (bodyBytes > maxBodyBytes) cutOff();
    },
    onResponseEnd() {
      finish();
    },
    onResponseError(_controller, error) {
      if (settled) return;
      // The status is the answer; the part of the body that arrived is the excerpt.
      if (answer !== undefined) return finish();
      if (error instanceof ConnectionGone && unsent < maxUnsent) {
        unsent += 1;
        connection?.release();
        [controller, sentAtMs, connection] = [undefined, undefined, undefined];
        acquire();
        return;
      }
      const odd =
        connection !== undefined && isParserError(error) ? readOddHead(connection.answerSoFar(), error) : undefined;
      if (odd === undefined) return fail(error);
      answer = { ...odd, atMs: clock.monotonicMs() };
      finish();
    },
  };

  /** Looks at the bytes only if they do not begin as usual, or the answer is not the first thing in them. */
  function isForeign(from: Connection): boolean {
    const asUsual = from.beginsAsUsual();
    return asUsual === false || (asUsual === true && interimAnswers > 0) ? isNotHttp(from.answerSoFar()) : false;
  }

  function acquire(): void {
    place = pool().acquire({
      take(given) {
        connection = given;
        opened = given.takeOpening() ?? opened;
        return given.dispatch(options, handler);
      },
      fail(failure) {
        opened = place.opening;
        fail(failure);
      },
    });
  }

  function settle(result: HttpResult): void {
    settled = true;
    stopLimit();
    connection?.release();
    resolve(result);
  }

  function fail(error: unknown): void {
    if (settled) return;
    const { outcome, message, operatorDetail } = failureOf(error, 'connect');
    settle({ outcome, detail: message, ...(operatorDetail === undefined ? {} : { operatorDetail }), timing: timing() });
    controller?.abort(new Error('the request has failed'));
  }

  /** The time is up. */
  function giveUp(): void {
    if (answer !== undefined) return;
    opened ??= place.opening;
    fail(timedOut(phase(), request.timeoutMs));
    place.cancel();
    if (connection === undefined) return;
    // Not even begun in all this time: a server that takes no streams.
    if (controller === undefined) connection.destroy();
    // A shared connection is kept if one request on it fails. It is retired if nothing at all arrived on it meanwhile: it may be dead
    // without notice.
    else if (connection.heardAtMs < (sentAtMs ?? 0)) connection.retire();
  }

  function phase(): Phase {
    if (controller !== undefined) return 'answer';
    return place.opening?.phase ?? 'queue';
  }

  /** Enough of the body, or no time left for it; at the price of the connection, or of the stream. */
  function cutOff(): void {
    finish();
    controller?.abort(new Error('the body was cut off'));
  }

  function finish(): void {
    if (settled || answer === undefined) return;
    const { status, headers, oddity } = answer;
    settle({
      outcome: outcomeOf(status),
      status,
      ...(oddity !== undefined && { oddity }),
      retryAfter: [headers['retry-after']].flat()[0],
      headers: keptHeaders(headers),
      // A copy: the chunks are views of larger buffers.
      excerpt: chunks.length === 0 ? nothing : Buffer.concat(chunks).subarray(0, maxExcerptBytes),
      timing: timing(),
    });
  }

  function timing(): HttpTiming {
    const nowMs = clock.monotonicMs();
    return {
      dnsMs: opened?.dnsMs ?? null,
      connectMs: opened?.connectMs ?? null,
      tlsMs: opened?.tlsMs ?? null,
      firstByteMs: answer === undefined || sentAtMs === undefined ? null : answer.atMs - sentAtMs,
      bodyMs: answer === undefined ? null : nowMs - answer.atMs,
    };
  }

  acquire();
  return promise;
}

/** A status of no class (RFC 9110, 15) counts as the server's failure. */
function outcomeOf(status: number): HttpAnswer['outcome'] {
  if (status < 100) return 'http_5xx';
  if (status < 300) return 'delivered';
  if (status < 400) return 'redirect';
  return status < 500 ? 'http_4xx' : 'http_5xx';
}
