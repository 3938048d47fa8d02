import { Pool } from 'undici';
import type { HttpRequest, Transport } from '#client';
import { type Clock, createPart, type Part } from '#lib/runtime';
import type { ConsoleMetrics } from '../metrics.ts';

/** A page waits no longer for one call; then it says 503. */
const timeoutMs = 5_000;
/** Connections that are kept open. Long polls hold one each. */
const maxConnections = 256;
const keepAliveMs = 30_000;
/** Far above the largest page of the API. */
const maxAnswerBytes = 64 * 1024 * 1024;

interface Options {
  /** Without `/v1`. */
  apiUrl: string;
  clock: Clock;
  metrics: Pick<ConsoleMetrics, 'apiCallSeconds'>;
}

/** Calls the API on connections that stay open. */
export function openTransport({ apiUrl, clock, metrics }: Options): { transport: Transport; part: Part } {
  const { origin, pathname } = new URL(apiUrl);
  const base = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: maxConnections,
    keepAliveTimeout: keepAliveMs,
    maxResponseSize: maxAnswerBytes,
  });

  async function send({ method, path, headers, body }: HttpRequest, signal: AbortSignal) {
    // The path as it stands: a URL would resolve its dots.
    const answer = await pool.request({ method, path: base + path, headers, body: body ?? null, signal });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, header: (name: string) => [answer.headers[name]].flat()[0], bytes };
  }

  const transport: Transport = async (call) => {
    const startedMs = clock.monotonicMs();
    const note = (outcome: string): void =>
      metrics.apiCallSeconds.observe({ outcome }, (clock.monotonicMs() - startedMs) / 1_000);
    const limitMs = call.timeoutMs ?? timeoutMs + heldMs(call.path);
    const limit = AbortSignal.timeout(limitMs);
    const signal = call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]);
    for (let isAgain = false; ; isAgain = true) {
      try {
        const answer = await send(call, signal);
        note(`${Math.floor(answer.status / 100)}xx`);
        return answer;
      } catch (error) {
        if (!isAgain && maySendAgain(call) && isStale(error)) continue;
        if (call.signal?.aborted === true) return { noAnswer: 'the browser has left' };
        note('none');
        return { noAnswer: limit.aborted ? `no answer within ${limitMs / 1_000} s` : (error as Error).message };
      }
    }
  };

  const close = (): Promise<void> => pool.destroy();
  return { transport, part: createPart('connections to the API', async () => undefined, close) };
}

/** A request that waits for changes is held so long on purpose. */
const heldMs = (path: string): number => Number(/[?&]wait=(\d{1,2})(?:&|$)/.exec(path)?.[1] ?? 0) * 1_000;

/** A POST has an Idempotency-Key. */
const maySendAgain = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'POST';

/** The API closed a kept connection in the moment in which it was used. */
const isStale = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
