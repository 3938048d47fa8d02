import { retryAfterMs } from '#lib/backoff';
import type { HttpResult } from '#lib/http-client';

/**
 * Judges an endpoint by a send, whatever that means for the delivery:
 *
 * - `well`: it answers. A 4xx or a redirect is an answer too: it judges the delivery, comes as fast as any, and is retried on a schedule
 *   that bounds its cost. A misconfigured endpoint must get new deliveries as soon as it has been mended.
 * - `wait`: it answers, and asks for time: 429, or 503 with Retry-After.
 * - `failed`: it is in no state to take anything: 5xx, or an address that may not be connected to.
 * - `unreachable`: the same, and it costs: a connection is held until a time-out, or there is none.
 */
export type SendVerdict = { kind: 'well' | 'failed' | 'unreachable' } | { kind: 'wait'; waitMs: number };

/** Cap of a lane's pause: the delivery itself waits for as long as was asked for, its lane tries again. */
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
