import { fullJitterMs, type Random, retryAfterMs } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { printable } from './output.ts';
import type { HttpAnswer, HttpResult } from './http.ts';

interface Options {
  clock: Clock;
  random: Random;
  maxAttempts: number;
  /** Where there was no answer: default true. */
  unanswered?: boolean;
  /** Told before each wait. */
  onRetry(result: HttpResult, waitMs: number): void;
}

const policy = { baseMs: 500, capMs: 30_000 };
/** What these ask for may be had later; every other answer is the answer. */
const retriedStatuses = [429, 503, 504];
const isRetried = (answer: HttpAnswer): boolean =>
  retriedStatuses.includes(answer.status) ||
  // An earlier attempt of ours is still being carried out: of conflicts, this one says when it will be over.
  (answer.status === 409 && answer.header('retry-after') !== undefined);
/** A Retry-After of a year is no reason to sit there for one. */
const maxRetryAfterMs = 120_000;

/**
 * Sends until there is an answer that another attempt would not change, or the attempts are used up. Waits what Retry-After asks for and
 * full jitter on top: clients that were told the same time do not come back at the same time.
 */
export async function sendAgain(
  send: () => Promise<HttpResult>,
  { clock, random, maxAttempts, unanswered = true, onRetry }: Options,
): Promise<{ result: HttpResult; attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await send();
    const isFinal = 'status' in result ? !isRetried(result) : !unanswered;
    if (isFinal || attempts >= maxAttempts) return { result, attempts };
    const askedMs = 'status' in result ? (retryAfterMs(result.header('retry-after'), clock.nowMs()) ?? 0) : 0;
    const waitMs = Math.min(askedMs, maxRetryAfterMs) + fullJitterMs(policy, attempts - 1, random);
    onRetry(result, waitMs);
    await clock.sleep(waitMs);
  }
}

/** Said of a wait, on the standard error. */
export function tellRetry(result: HttpResult, waitMs: number): void {
  const what = 'status' in result ? `answered ${result.status}` : result.noAnswer;
  process.stderr.write(`${printable(what)}; again in ${(waitMs / 1000).toFixed(1)} s\n`);
}
