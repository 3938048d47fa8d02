/**
 * Each webhook is handled to its end once, however often it is sent:
 *
 *   free ── claim ──► leased ── complete ──► done ── rememberSeconds ──► free
 *                       └── release, or leaseSeconds ──► free
 *
 * Guaranteed: no two handlers of one id run within one lease; a webhook is never answered as a duplicate before a handler of it has ended
 * well; after a failure or a crash it can be handled again.
 * Not guaranteed: that effects happen once. A handler that dies after its effect and before `complete`, or runs longer than its lease,
 * is followed by another one. Make effects idempotent by the webhook's id where this matters.
 */

export type Claim = { state: 'claimed' } | { state: 'done' } | { state: 'leased'; remainingMs: number };

/** Where the state of each id is kept. Every call decides atomically, for all processes that share the store. */
export interface OnceStore {
  readonly leaseMs: number;
  /** Takes the lease of an id that is free. The same token again: still claimed. */
  claim(id: string, token: string): Promise<Claim>;
  /** Marks as done, whoever holds the lease: the handler has ended well. */
  complete(id: string): Promise<void>;
  /** Frees the id if this token holds its lease. */
  release(id: string, token: string): Promise<void>;
}

export interface OnceOptions {
  /** The longest that a handler should take; after it, the webhook of a process that died can be handled again. Default: 60. */
  leaseSeconds?: number | undefined;
  /** At least as long as the sender retries, which Hookline does for 3 days by default. Default: 7 days. */
  rememberSeconds?: number | undefined;
}

const defaults = { leaseSeconds: 60, rememberSeconds: 604_800 };

/** @throws TypeError */
export function durationsOf(options: OnceOptions): { leaseMs: number; rememberMs: number } {
  const { leaseSeconds = defaults.leaseSeconds, rememberSeconds = defaults.rememberSeconds } = options;
  if (!(leaseSeconds > 0 && rememberSeconds > leaseSeconds && Number.isFinite(rememberSeconds))) {
    throw new TypeError('leaseSeconds must be more than 0, and rememberSeconds more than leaseSeconds');
  }
  return { leaseMs: Math.ceil(leaseSeconds * 1_000), rememberMs: Math.ceil(rememberSeconds * 1_000) };
}
