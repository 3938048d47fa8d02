/**
 * Decides what follows from a send. Pure: the same answer, delivery, policy, time and random number make the same decision.
 *
 * | the send came to            | and                                           | then                                     |
 * |-----------------------------|-----------------------------------------------|------------------------------------------|
 * | 2xx                         |                                               | delivered                                |
 * | 410                         | its head is not odd                           | gone: dead letter, endpoint disabled     |
 * | anything else               | no attempts are left                          | exhausted: dead letter                   |
 * |                             | the next would be due after the window's end  | exhausted: dead letter                   |
 * |                             | else                                          | retry after the policy's wait            |
 * |                             | 429 or 503 with Retry-After                   | retry, not before min(Retry-After, cap)  |
 *
 * | policy   | retry n (from 1) waits                                | attempts             | cap                        |
 * |----------|-------------------------------------------------------|----------------------|----------------------------|
 * | backoff  | random(0, min(cap, base·2ⁿ⁻¹))                        | as many as are set   | of its waits, Retry-After  |
 * | schedule | the nth of its waits · random(1 − jitter, 1 + jitter) | one more than waits  | of Retry-After alone       |
 *
 * The window's end moves by the pauses of the endpoint (libs/contract/pauses.ts). Every other 4xx is retried too: a receiver that answers 404 while it is deployed wants its events, and the window bounds the cost.
 * A Retry-After above the cap counts as the cap: a stranger's header must not park a delivery past its window.
 */
import { deadlineOf, type PausedLife } from '#lib/contract';
import type { HttpResult } from '#lib/http-client';
import { fullJitterMs, type Random, retryAfterMs, spreadAroundMs } from '#lib/runtime';
import type { RetryPolicy } from '../model/retry-policy.ts';

export interface Sent {
  result: HttpResult;
  /** Sends so far, this one included. */
  attempts: number;
  /** The delivery's creation, in microseconds. */
  createdAt: number;
  /** The pauses of its endpoint, by which the window's end moves; absent: none. */
  life?: PausedLife;
}

export type Decision =
  | { kind: 'delivered' }
  | { kind: 'gone' }
  | { kind: 'exhausted' }
  /** In microseconds; `notBefore` where the receiver has asked for it. */
  | { kind: 'retry'; dueAt: number; notBefore: number | null };

const asksToWait = [429, 503];
const unpaused: PausedLife = { pauses: [], longestLifeMs: 0 };

export function decide(
  { result, attempts, createdAt, life }: Sent,
  policy: RetryPolicy,
  nowMs: number,
  random: Random,
): Decision {
  if (result.outcome === 'delivered') return { kind: 'delivered' };
  // An endpoint is not disabled for what a receiver that writes no valid HTTP may not have meant.
  if ('status' in result && result.status === 410 && result.oddity === undefined) return { kind: 'gone' };
  const plannedMs = nextWaitMs(policy, attempts, random);
  if (plannedMs === undefined) return { kind: 'exhausted' };

  const wanted = 'status' in result && asksToWait.includes(result.status) ? retryAfterMs(result.retryAfter, nowMs) : 0;
  const floorMs = Math.min(wanted ?? 0, policy.capMs);
  const dueAt = Math.round((nowMs + Math.max(floorMs, plannedMs)) * 1_000);
  if (dueAt > deadlineOf(createdAt, policy.windowMs, life ?? unpaused, dueAt)) return { kind: 'exhausted' };
  return { kind: 'retry', dueAt, notBefore: floorMs > 0 ? Math.round((nowMs + floorMs) * 1_000) : null };
}

/** Undefined where the policy has no further attempt. */
function nextWaitMs(policy: RetryPolicy, attempts: number, random: Random): number | undefined {
  if (policy.kind === 'backoff')
    return attempts < policy.maxAttempts ? fullJitterMs(policy, attempts - 1, random) : undefined;
  const waitMs = policy.waitsMs[attempts - 1];
  return waitMs === undefined ? undefined : spreadAroundMs(waitMs, policy.jitter, random);
}
