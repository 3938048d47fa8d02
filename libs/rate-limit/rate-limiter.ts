/**
 * Limits how often all processes together do something, mostly without asking: permits are fetched from the shared bucket in chunks, the
 * next chunk while half of the last is left. A bucket (of one key, in this process) is in one of these states:
 *
 * | state     | a `take`                                            | left by                                              |
 * |-----------|-----------------------------------------------------|------------------------------------------------------|
 * | holding   | is granted at once                                  | the last permit, or `heldForMs` → asking             |
 * | asking    | waits for the answer                                | permits → holding, none → empty, no answer → on its own |
 * | empty     | is refused at once                                  | the time until the next permit → asking              |
 * | on its own | is decided by this process's share of rate and burst | an answer (asked for in the background) → holding, empty |
 *
 * How much all processes together may exceed `burst + rate · t` in a window of t seconds:
 *
 * - while the shared bucket answers: by what the rate brings in the time of one answer (see redis-buckets.ts);
 * - when it has lost its memory: by one burst, once;
 * - while it is away: each of the n processes last known gives out one n-th, so by the processes that joined since; and by n − burst if the
 *   burst is smaller than n. Permits given out meanwhile are reported when it is back, and subtracted there.
 */
import { type Clock, type Logger, toAppError } from '#lib/runtime';
import { createLocalShare, type LocalShare } from './local-share.ts';
import type { BucketAnswer, Rate, SharedBuckets } from './ports.ts';
import { heldForMs } from './redis-buckets.ts';

export type Permit = Granted | { granted: false; retryAfterMs: number };

interface Granted {
  granted: true;
  /** Permits left for all processes, as far as this one knows: of the last answer of the shared bucket, and what came since. */
  left?: number;
}

export interface RateLimiter {
  /** Takes one permit now, or says when there is the next. A rate other than the last one given for the key holds from here on. */
  take(key: string, rate: Rate): Promise<Permit>;
}

export interface RatesLeft {
  /**
   * Permits of the burst that are left for all processes now: asks the shared bucket.
   *
   * @returns undefined while that is away
   */
  left(key: string, rate: Rate): Promise<number | undefined>;
}

interface Options {
  buckets: SharedBuckets;
  clock: Clock;
  log: Logger;
}

interface Bucket {
  key: string;
  rate: Rate;
  held: number;
  heldUntilMs: number;
  emptyUntilMs: number;
  /** Callers that wait for the answer. */
  waiting: number;
  asking: Promise<void> | undefined;
  last: (BucketAnswer & { atMs: number }) | undefined;
  share: LocalShare | undefined;
  /** Given out of the process's share, and not reported yet. */
  debt: number;
  askAgainAtMs: number;
}

/** One chunk is what the rate yields in this time. Half of it is far longer than an answer takes. */
const chunkSeconds = 0.1;
/** A bucket that had too few permits is asked again after this time at the earliest, and has refilled by then. */
const paceMs = 10;
/** Between two tries to reach a shared bucket that was away. */
const awayForMs = 1_000;
/** At this number, the oldest key is forgotten. */
const maxKeys = 10_000;

export function createRateLimiter({ buckets, clock, log }: Options): RateLimiter & RatesLeft {
  const known = new Map<string, Bucket>();
  let lastProcesses = 1;

  function bucketOf(key: string, given: Rate): Bucket {
    const rate = { perSecond: given.perSecond, burst: Math.max(1, given.burst) };
    let bucket = known.get(key);
    if (bucket === undefined) {
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= maxKeys) known.delete(oldest);
      bucket = newBucket(key, rate);
      known.set(key, bucket);
    } else if (bucket.rate.perSecond !== rate.perSecond || bucket.rate.burst !== rate.burst) {
      bucket.rate = rate;
      bucket.held = Math.min(bucket.held, chunkOf(bucket));
      bucket.emptyUntilMs = 0;
      if (bucket.share !== undefined) bucket.share = shareOf(bucket, clock.monotonicMs());
    }
    return bucket;
  }

  function shareOf({ rate, last }: Bucket, nowMs: number): LocalShare {
    const free = last === undefined ? rate.burst : last.free + ((nowMs - last.atMs) / 1000) * rate.perSecond;
    return createLocalShare(rate, last?.processes ?? lastProcesses, Math.min(rate.burst, free), nowMs);
  }

  /** @returns the time */
  function dropOld(bucket: Bucket): number {
    const nowMs = clock.monotonicMs();
    if (nowMs >= bucket.heldUntilMs) bucket.held = 0;
    return nowMs;
  }

  function ask(bucket: Bucket): Promise<void> {
    return (bucket.asking ??= askOnce(bucket).finally(() => (bucket.asking = undefined)));
  }

  async function askOnce(bucket: Bucket): Promise<void> {
    const { key, rate, held: unused, debt } = bucket;
    const askedAtMs = clock.monotonicMs();
    const now = bucket.waiting;
    const ahead = Math.max(0, chunkOf(bucket) - unused);
    try {
      const answer = await buckets.ask({ key, rate, unused, debt, now, ahead });
      const nowMs = clock.monotonicMs();
      bucket.last = { ...answer, atMs: nowMs };
      lastProcesses = answer.processes;
      bucket.held += answer.granted;
      bucket.heldUntilMs = askedAtMs + heldForMs;
      bucket.debt -= debt;
      bucket.share = undefined;
      if (answer.granted < now + ahead) {
        const nextMs = ((1 - answer.free) / rate.perSecond) * 1000;
        bucket.emptyUntilMs = nowMs + Math.max(nextMs, Math.min(paceMs, (rate.burst / rate.perSecond) * 500));
      }
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code !== 'redis_unavailable') log.error({ event: 'rate_limit.failed', err: error });
      const nowMs = clock.monotonicMs();
      bucket.share ??= shareOf(bucket, nowMs);
      bucket.askAgainAtMs = nowMs + awayForMs;
    }
  }

  return {
    async left(key, rate) {
      const bucket = bucketOf(key, rate);
      const nowMs = dropOld(bucket);
      if (bucket.share === undefined || nowMs >= bucket.askAgainAtMs) await ask(bucket);
      return bucket.share === undefined ? leftOf(bucket, clock.monotonicMs()) : undefined;
    },
    async take(key, rate) {
      const bucket = bucketOf(key, rate);
      for (;;) {
        const nowMs = dropOld(bucket);
        if (bucket.held >= 1) {
          bucket.held -= 1;
          if (bucket.held < chunkOf(bucket) / 2 && nowMs >= bucket.emptyUntilMs && bucket.share === undefined) {
            void ask(bucket);
          }
          return { granted: true, left: leftOf(bucket, nowMs) };
        }
        if (bucket.share !== undefined) {
          if (nowMs >= bucket.askAgainAtMs) void ask(bucket);
          const retryAfterMs = bucket.share.take(nowMs);
          if (retryAfterMs > 0) return { granted: false, retryAfterMs };
          bucket.debt += 1;
          return { granted: true };
        }
        if (nowMs < bucket.emptyUntilMs) return { granted: false, retryAfterMs: bucket.emptyUntilMs - nowMs };
        bucket.waiting += 1;
        await ask(bucket);
        bucket.waiting -= 1;
      }
    },
  };
}

const newBucket = (key: string, rate: Rate): Bucket => ({
  key,
  rate,
  held: 0,
  heldUntilMs: 0,
  emptyUntilMs: 0,
  waiting: 0,
  asking: undefined,
  last: undefined,
  share: undefined,
  debt: 0,
  askAgainAtMs: 0,
});

/** Above zero, even if processes gave out more on their own than there were. */
function leftOf({ held, last, rate }: Bucket, nowMs: number): number {
  const free = last === undefined ? 0 : last.free + ((nowMs - last.atMs) / 1_000) * rate.perSecond;
  return Math.min(rate.burst, held + Math.max(0, free));
}

/** No chunk of a single permit: it could lie unused in one process while another is refused. */
function chunkOf({ rate, last }: Bucket): number {
  const permits = Math.floor(Math.min(rate.perSecond * chunkSeconds, rate.burst / (2 * (last?.processes ?? 1))));
  return permits < 2 ? 0 : permits;
}
