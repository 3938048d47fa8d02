import fc from 'fast-check';
import type { HttpResult } from '#lib/http-client';
import { seededRandom } from '../../support/seeded-random.ts';
import { decide } from '../../../services/dispatcher/send/decide.ts';
import type { BackoffPolicy, RetryPolicy, SchedulePolicy } from '../../../services/dispatcher/model/retry-policy.ts';
import { aFailure, anAnswer } from './fixtures.ts';

const nowMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;
const policy: BackoffPolicy = {
  kind: 'backoff',
  baseMs: 5_000,
  capMs: 12 * hourMs,
  windowMs: 72 * hourMs,
  maxAttempts: Infinity,
};

const answered = (status: number, retryAfter?: string): HttpResult => anAnswer(status, { retryAfter });
const unanswered = (['timeout', 'connect', 'tls', 'blocked'] as const).map((outcome) => aFailure(outcome));
const failures = [301, 400, 401, 404, 408, 425, 429, 500, 502, 503, 504].map((status) => answered(status));

/** The first send of a delivery that was created now. */
const decideFirst = (result: HttpResult, random = 0.5) =>
  decide({ result, attempts: 1, createdAt: nowMs * 1_000 }, policy, nowMs, () => random);

const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const backoffs = fc.record<BackoffPolicy>({
  kind: fc.constant('backoff'),
  baseMs: fc.integer({ min: 0, max: 60_000 }),
  capMs: fc.integer({ min: 0, max: 24 * hourMs }),
  windowMs: fc.integer({ min: 0, max: 96 * hourMs }),
  maxAttempts: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 20 })),
});
const schedules = fc.record<SchedulePolicy>({
  kind: fc.constant('schedule'),
  capMs: fc.constant(12 * hourMs),
  windowMs: fc.integer({ min: 0, max: 14 * 24 * hourMs }),
  waitsMs: fc.array(fc.integer({ min: 0, max: 7 * 24 * hourMs }), { minLength: 1, maxLength: 20 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
});
const policies = fc.oneof<fc.Arbitrary<RetryPolicy>[]>(backoffs, schedules);
/** The longest allowed wait before retry `attempts`, whatever the endpoint asks for. */
const longestWaitMs = (given: RetryPolicy, attempts: number): number =>
  given.kind === 'backoff'
    ? given.capMs
    : Math.max(given.capMs, (given.waitsMs[attempts - 1] ?? 0) * (1 + given.jitter));
const maxAttemptsOf = (given: RetryPolicy): number =>
  given.kind === 'backoff' ? given.maxAttempts : given.waitsMs.length + 1;
const failedResults = fc.oneof(
  fc.constantFrom(...failures, ...unanswered),
  fc.tuple(fc.constantFrom(429, 503), fc.nat()).map(([status, seconds]) => answered(status, String(seconds))),
);
const failedSends = fc.record({
  result: failedResults,
  attempts: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(2_000)),
  ageMs: fc.integer({ min: 0, max: 100 * hourMs }),
  policy: policies,
  random: uniform,
});

describe('the decision after a send', () => {
  it('is done with any 2xx', () => {
    for (const status of [200, 201, 202, 204, 299])
      expect(decideFirst(answered(status))).toEqual({ kind: 'delivered' });
  });

  it('gives the endpoint up at 410 alone', () => {
    expect(decideFirst(answered(410))).toEqual({ kind: 'gone' });
    for (const result of [...failures, ...unanswered]) expect(decideFirst(result)).toMatchObject({ kind: 'retry' });
  });

  it('takes 410 in an odd head for one more failure, and any 2xx for an answer', () => {
    const oddity = 'lines end in a line feed alone';
    expect(decideFirst(anAnswer(410, { oddity }))).toMatchObject({ kind: 'retry' });
    expect(decideFirst(anAnswer(200, { oddity }))).toEqual({ kind: 'delivered' });
  });

  it('retries within random(0, min(cap, base · 2^attempt)), the first time within the base', () => {
    for (const [attempts, mostMs] of [
      [1, 5_000],
      [2, 10_000],
      [5, 80_000],
      [14, 40_960_000],
      [15, 12 * hourMs],
      [1_000, 12 * hourMs],
    ] as const) {
      const due = decide({ result: answered(500), attempts, createdAt: nowMs * 1_000 }, policy, nowMs, () => 0.25);
      expect(due).toEqual({ kind: 'retry', dueAt: (nowMs + mostMs / 4) * 1_000, notBefore: null });
    }
  });

  it('takes Retry-After for a floor on 429 and 503, and ignores it elsewhere', () => {
    for (const status of [429, 503])
      expect(decideFirst(answered(status, '60'))).toEqual({
        kind: 'retry',
        dueAt: (nowMs + 60_000) * 1_000,
        notBefore: (nowMs + 60_000) * 1_000,
      });
    expect(decideFirst(answered(429, '1'), 0.9)).toEqual({
      kind: 'retry',
      dueAt: (nowMs + 4_500) * 1_000,
      notBefore: (nowMs + 1_000) * 1_000,
    });
    const unasked = { kind: 'retry', dueAt: (nowMs + 2_500) * 1_000, notBefore: null };
    expect(decideFirst(answered(500, '60'))).toEqual(unasked);
    expect(decideFirst(answered(429, 'soon'))).toEqual(unasked);
  });

  it('never retries before Retry-After, or before the cap where that is less', () => {
    fc.assert(
      fc.property(fc.constantFrom(429, 503), fc.nat(), failedSends, (status, seconds, send) => {
        const { attempts, random } = send;
        const sent = { result: answered(status, String(seconds)), attempts, createdAt: nowMs * 1_000 };
        const decision = decide(sent, { ...send.policy, windowMs: 1e12 }, nowMs, () => random);
        fc.pre(decision.kind === 'retry');
        const floorMs = Math.min(seconds * 1_000, send.policy.capMs);
        expect(decision.kind === 'retry' && decision.dueAt).toBeGreaterThanOrEqual((nowMs + floorMs) * 1_000);
      }),
    );
  });

  it('never waits longer than the cap, and never goes back in time', () => {
    fc.assert(
      fc.property(failedSends, ({ result, attempts, ageMs, policy: given, random }) => {
        const decision = decide({ result, attempts, createdAt: (nowMs - ageMs) * 1_000 }, given, nowMs, () => random);
        if (decision.kind !== 'retry') return;
        expect(decision.dueAt).toBeGreaterThanOrEqual(nowMs * 1_000);
        expect(decision.dueAt).toBeLessThanOrEqual(Math.ceil((nowMs + longestWaitMs(given, attempts)) * 1_000));
        expect(Number.isSafeInteger(decision.dueAt)).toBe(true);
      }),
    );
  });

  it('plans nothing behind the end of the window, nor beyond the last attempt, and ends there', () => {
    fc.assert(
      fc.property(failedSends, ({ result, attempts, ageMs, policy: given, random }) => {
        const createdAt = (nowMs - ageMs) * 1_000;
        const decision = decide({ result, attempts, createdAt }, given, nowMs, () => random);
        if (decision.kind === 'retry') {
          expect(attempts).toBeLessThan(maxAttemptsOf(given));
          expect(decision.dueAt).toBeLessThanOrEqual(createdAt + given.windowMs * 1_000);
        } else {
          expect(decision).toEqual({ kind: 'exhausted' });
        }
      }),
    );
  });

  it('comes to exactly one end, within the window and the attempts, however the retries fall', () => {
    fc.assert(
      fc.property(policies, fc.integer(), (given, seed) => {
        fc.pre(given.kind === 'schedule' || (given.baseMs > 0 && given.capMs > 1_000));
        fc.pre(given.windowMs < given.capMs * 1_000);
        const random = seededRandom(seed);
        let atMs = nowMs;
        for (let attempts = 1; attempts < 100_000; attempts += 1) {
          expect(attempts).toBeLessThanOrEqual(maxAttemptsOf(given));
          expect(atMs).toBeLessThanOrEqual(nowMs + given.windowMs);
          const decision = decide({ result: answered(500), attempts, createdAt: nowMs * 1_000 }, given, atMs, random);
          if (decision.kind !== 'retry') return expect(decision).toEqual({ kind: 'exhausted' });
          atMs = decision.dueAt / 1_000;
        }
        throw new Error('no end');
      }),
      { numRuns: 100 },
    );
  });
});

/** The times of all attempts, in seconds since the first, of a delivery that always fails. */
function attemptsBy(given: SchedulePolicy, random: () => number, result = answered(500)): number[] {
  const times = [0];
  for (;;) {
    const atMs = nowMs + (times.at(-1) ?? 0) * 1_000;
    const decision = decide({ result, attempts: times.length, createdAt: nowMs * 1_000 }, given, atMs, random);
    if (decision.kind !== 'retry') return times;
    times.push((decision.dueAt / 1_000 - nowMs) / 1_000);
  }
}

const aSchedule = (waits: number[], jitter: number): SchedulePolicy => ({
  kind: 'schedule',
  waitsMs: waits.map((seconds) => seconds * 1_000),
  jitter,
  capMs: 12 * hourMs,
  windowMs: 14 * 24 * hourMs,
});

describe('a schedule of retries', () => {
  it('is kept to the second, as Standard Webhooks publishes its own', () => {
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    const clockTimes = [
      '0:00:00',
      '0:00:05',
      '0:05:05',
      '0:35:05',
      '2:35:05',
      '7:35:05',
      '17:35:05',
      '31:35:05',
      '51:35:05',
    ];
    const times = attemptsBy(aSchedule(waits, 0), () => 0.9);
    expect(times).toHaveLength(10);
    expect(times.slice(0, 9).map(clockTime)).toEqual(clockTimes);
    expect(times[9]).toBe(75 * 3_600 + 35 * 60 + 5);
  });

  it('waits within a fifth of each wait where its jitter is 0.2, as Svix does, and makes one attempt more than it has waits', () => {
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (const [random, share] of [
      [() => 0, 0.8],
      [() => 0.5, 1],
      [() => 1 - Number.EPSILON, 1.2],
    ] as const) {
      const times = attemptsBy(aSchedule(waits, 0.2), random);
      expect(times).toHaveLength(8);
      times
        .slice(1)
        .forEach((at, index) => expect(at - (times[index] ?? 0)).toBeCloseTo((waits[index] ?? 0) * share, 3));
    }
  });

  it('takes Retry-After for a floor under each wait, and no more of it than twelve hours', () => {
    expect(attemptsBy(aSchedule([5, 300], 0), () => 0, answered(503, '60'))).toEqual([0, 60, 360]);
    expect(attemptsBy(aSchedule([5], 0), () => 0, answered(429, '999999999999'))).toEqual([0, 43_200]);
    expect(attemptsBy(aSchedule([100_000], 0), () => 0, answered(429, '999999999999'))).toEqual([0, 100_000]);
  });
});

const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 3_600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
