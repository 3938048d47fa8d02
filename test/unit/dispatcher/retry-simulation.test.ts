/** The retries of many deliveries together: by seeded random numbers, in time that is counted and not waited for. */
import type { Random } from '#lib/runtime';
import { decide } from '../../../services/dispatcher/send/decide.ts';
import type { BackoffPolicy, RetryPolicy } from '../../../services/dispatcher/model/retry-policy.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { anAnswer } from './fixtures.ts';

const seed = 20_260_101;
const nowMs = Date.UTC(2026, 0, 1);
const refused = anAnswer(503);
const policy: BackoffPolicy = {
  kind: 'backoff',
  baseMs: 5_000,
  capMs: 12 * 3_600_000,
  windowMs: 1e12,
  maxAttempts: Infinity,
};

/** The wait before the retry that follows on so many attempts. */
function waitMs(attempts: number, given: RetryPolicy, random: Random, atMs = nowMs): number {
  const decision = decide({ result: refused, attempts, createdAt: nowMs * 1_000 }, given, atMs, random);
  if (decision.kind !== 'retry') throw new Error(decision.kind);
  return decision.dueAt / 1_000 - atMs;
}

/** Kolmogorov and Smirnov's: the greatest distance between the distribution of the samples and the uniform one from `low` to `high`. */
function distanceToUniform(samples: number[], low: number, high: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const { length } = sorted;
  return Math.max(
    ...sorted.map((sample, index) => {
      const expected = Math.min(1, Math.max(0, (sample - low) / (high - low)));
      return Math.max(expected - index / length, (index + 1) / length - expected);
    }),
  );
}

const samples = 10_000;
/** One set of uniform samples in a thousand is farther off. */
const critical = 1.95 / Math.sqrt(samples);

describe('ten thousand retries', () => {
  it.each([1, 2, 3, 5, 10, 13, 14, 20])(
    'after %i attempts are spread evenly from 0 to min(cap, base · 2ⁿ)',
    (attempts) => {
      const random = seededRandom(seed + attempts);
      const most = Math.min(policy.capMs, policy.baseMs * 2 ** (attempts - 1));
      const waits = Array.from({ length: samples }, () => waitMs(attempts, policy, random));
      expect(distanceToUniform(waits, 0, most)).toBeLessThan(critical);
    },
  );

  it('of a schedule are spread evenly around each of its waits', () => {
    const waitsMs = [5_000, 300_000, 36_000_000];
    const schedule: RetryPolicy = { kind: 'schedule', waitsMs, jitter: 0.2, capMs: policy.capMs, windowMs: 1e12 };
    waitsMs.forEach((wait, index) => {
      const random = seededRandom(seed + index);
      const waits = Array.from({ length: samples }, () => waitMs(index + 1, schedule, random));
      expect(distanceToUniform(waits, wait * 0.8, wait * 1.2)).toBeLessThan(critical);
    });
  });

  it('would be found out if they had equal jitter, or a cap that comes too early', () => {
    const random = seededRandom(seed);
    const most = policy.baseMs * 2 ** 4;
    const equal = Array.from({ length: samples }, () => most / 2 + (most / 2) * random());
    expect(distanceToUniform(equal, 0, most)).toBeGreaterThan(critical * 10);
    const capped = Array.from({ length: samples }, () => waitMs(5, { ...policy, capMs: most * 0.9 }, random));
    expect(distanceToUniform(capped, 0, most)).toBeGreaterThan(critical * 2);
  });
});

/** A receiver that is back, and takes a few calls a second; all clients were refused at once while it was away. */
function callsUntilAllAreTaken(random: Random): { calls: number; seconds: number } {
  const clients = 100;
  const takenPerSecond = 5;
  const due = Array.from({ length: clients }, () => ({ atMs: nowMs, attempts: 0 }));
  const takenIn = new Map<number, number>();
  let [calls, lastMs] = [0, nowMs];
  while (due.length > 0) {
    due.sort((a, b) => a.atMs - b.atMs);
    const next = due[0] as (typeof due)[number];
    calls += 1;
    next.attempts += 1;
    const second = Math.floor((next.atMs - nowMs) / 1_000);
    const taken = takenIn.get(second) ?? 0;
    const isUp = next.attempts > 1;
    if (isUp && taken < takenPerSecond) {
      takenIn.set(second, taken + 1);
      lastMs = next.atMs;
      due.shift();
    } else next.atMs += waitMs(next.attempts, policy, random, next.atMs);
  }
  return { calls, seconds: (lastMs - nowMs) / 1_000 };
}

describe('a hundred clients that were refused together', () => {
  it('call a receiver that recovers less often with full jitter than without', () => {
    const full = callsUntilAllAreTaken(seededRandom(seed));
    // Just below 1: each waits for the whole of base · 2ⁿ.
    const none = callsUntilAllAreTaken(() => 1 - Number.EPSILON);
    console.info(
      `100 clients, 5 taken a second: ${full.calls} calls in ${Math.round(full.seconds)} s with full jitter, ` +
        `${none.calls} calls in ${Math.round(none.seconds)} s with plain exponential backoff`,
    );
    expect(full.calls).toBeLessThan(none.calls / 2);
    expect(full.seconds).toBeLessThan(none.seconds / 10);
  });
});
