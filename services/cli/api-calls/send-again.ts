import type { ClientOptions, HttpAnswer, HttpResult } from '#client';
import { type Clock, fullJitterMs, type Random, retryAfterMs } from '#lib/runtime';
import type { Context } from '../context.ts';
import { printRetry } from '../output/print.ts';

interface Options {
  clock: Pick<Clock, 'nowMs' | 'sleep'>;
  random: Random;
  maxAttempts: number;
  /** Whether to resend what was not answered; true by default. */
  unanswered?: boolean;
  /** By default 429, 503, 504, and 409 with Retry-After. */
  retriedStatuses?: readonly number[];
  /** Aborts to give up: no more attempts then. */
  signal?: AbortSignal | undefined;
  /** Called before each wait. */
  onRetry(result: HttpResult, waitMs: number): void;
}

const policy = { baseMs: 500, capMs: 30_000 };
/** The same request may succeed later; every other answer is final. */
const laterStatuses = [429, 503, 504];
const isRetried = (answer: HttpAnswer): boolean =>
  laterStatuses.includes(answer.status) ||
  // Our earlier attempt is still running: only this conflict says when it will be over.
  (answer.status === 409 && answer.header('retry-after') !== undefined);
/** A Retry-After of a year is not waited out. */
const maxRetryAfterMs = 120_000;

/**
 * Sends until there is an answer that another attempt would not change, or the attempts are used up. Waits what Retry-After asks for and
 * full jitter on top: clients that were told the same time do not come back at the same time.
 */
export async function sendAgain(
  send: () => Promise<HttpResult>,
  { clock, random, maxAttempts, unanswered = true, retriedStatuses, signal, onRetry }: Options,
): Promise<{ result: HttpResult; attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await send();
    const isFinal = 'status' in result ? !(retriedStatuses?.includes(result.status) ?? isRetried(result)) : !unanswered;
    if (isFinal || attempts >= maxAttempts || signal?.aborted === true) return { result, attempts };
    const askedMs = 'status' in result ? (retryAfterMs(result.header('retry-after'), clock.nowMs()) ?? 0) : 0;
    const waitMs = Math.min(askedMs, maxRetryAfterMs) + fullJitterMs(policy, attempts - 1, random);
    onRetry(result, waitMs);
    await clock.sleep(waitMs, signal);
  }
}

const firstAttempts = 5;

/**
 * Resends without end once the API has answered. Before that, the URL may be wrong, and a few attempts must do.
 *
 * @param isBroken answers after which, too, it is asked again: those of a proxy in front of it
 */
export function resendOnceAnswered(
  context: Context,
  { signal, isBroken = () => false }: { signal?: AbortSignal; isBroken?(answer: HttpAnswer): boolean } = {},
): NonNullable<ClientOptions['resend']> {
  const { clock, random } = context;
  let hasAnswered = false;
  const unlessBroken = (result: HttpResult): HttpResult =>
    hasAnswered && 'status' in result && isBroken(result) ? { noAnswer: `answered ${result.status}` } : result;
  return async (send) => {
    const maxAttempts = hasAnswered ? Infinity : firstAttempts;
    const options = { clock, random, maxAttempts, signal, onRetry: printRetry(context) };
    const { result } = await sendAgain(async () => unlessBroken(await send()), options);
    hasAnswered ||= 'status' in result;
    return result;
  };
}
