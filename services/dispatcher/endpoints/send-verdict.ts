import type { HttpResult } from '#lib/http-client';
import { retryAfterMs } from '#lib/runtime';

/**
 * The verdict of a send on the endpoint, independent of the delivery's outcome:
 *
 * - `well`: it answers. A 4xx or a redirect is an answer too: it is about the delivery, comes fast, and its retries are limited by a
 *   schedule. A misconfigured endpoint must get new deliveries as soon as it is fixed.
 * - `wait`: it answers, and asks for time: 429, or 503 with Retry-After.
 * - `failed`: it can't accept anything: 5xx, or an address that is not allowed.
 * - `unreachable`: the same, and expensive: a connection is held until a time-out, or can't be opened.
 */
export type SendVerdict = { kind: 'well' | 'failed' | 'unreachable' } | { kind: 'wait'; waitMs: number };

/** Cap of a lane's pause: the delivery itself waits as long as requested, its lane tries again. */
const maxWaitMs = 60_000;
/** Pause for a 429 without Retry-After. */
const usualWaitMs = 1_000;

/** @param capMs the most that the endpoint's own retries wait */
export function verdictOf(result: HttpResult, nowMs: number, capMs: number): SendVerdict {
  if (!('status' in result)) return { kind: result.outcome === 'blocked' ? 'failed' : 'unreachable' };
  const asked = result.status === 429 || result.status === 503 ? retryAfterMs(result.retryAfter, nowMs) : undefined;
  if (asked !== undefined) return { kind: 'wait', waitMs: Math.min(asked, maxWaitMs, capMs) };
  if (result.status === 429) return { kind: 'wait', waitMs: Math.min(usualWaitMs, capMs) };
  return { kind: result.outcome === 'http_5xx' ? 'failed' : 'well' };
}
