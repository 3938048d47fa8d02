import { performance } from 'node:perf_hooks';
import { type Clock, createManualClock, createTimeLimits, limitGranularityMs, systemClock } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';

const inTime = { timeoutMs: 5_000, everyMs: 1 };

/** Promises of every clock, the system's and the one of tests. */
describe.each<[string, () => { clock: Clock; pass(ms: number): Promise<unknown> }]>([
  [
    'the system’s clock',
    () => ({
      clock: systemClock,
      pass: async (ms) => {
        const untilMs = performance.now() + ms;
        await waitUntil('the time has passed', () => performance.now() >= untilMs, inTime);
      },
    }),
  ],
  [
    'the manual clock',
    () => {
      const clock = createManualClock();
      return { clock, pass: (ms) => clock.advance(ms) };
    },
  ],
])('a limit on %s', (_name, create) => {
  it('that is a sleep until the next multiple ends there, together with all others, or when its signal aborts', async () => {
    const { clock, pass } = create();
    const wokenAtMs: number[] = [];
    const startedAtMs = clock.monotonicMs();
    const sleep = async (signal?: AbortSignal) => {
      await clock.sleepUntilNext(100, signal);
      wokenAtMs.push(clock.monotonicMs());
    };
    const sleeps = [sleep()];
    await pass(1);
    sleeps.push(sleep());
    const stopping = new AbortController();
    const stopped = sleep(stopping.signal);
    stopping.abort();
    await stopped;
    await clock.sleepUntilNext(100, AbortSignal.abort());
    expect(wokenAtMs).toHaveLength(1);
    await pass(100);
    await Promise.all(sleeps);
    for (const atMs of wokenAtMs.slice(1))
      expect(Math.floor(atMs / 100)).toBeGreaterThan(Math.floor(startedAtMs / 100));
  });

  it('is reached once, and not before its time', async () => {
    const { clock, pass } = create();
    const startedAtMs = clock.monotonicMs();
    const reachedAtMs: number[] = [];
    clock.startLimit(50, () => reachedAtMs.push(clock.monotonicMs()));
    await pass(49);
    expect(reachedAtMs.filter((atMs) => atMs - startedAtMs < 50)).toEqual([]);
    await pass(1 + limitGranularityMs);
    await waitUntil('it is reached', () => reachedAtMs.length > 0, inTime);
    await pass(2 * limitGranularityMs);
    expect(reachedAtMs).toHaveLength(1);
    expect(reachedAtMs[0]! - startedAtMs).toBeGreaterThanOrEqual(50);
  });

  it('that was stopped is never reached, not even by the last of those before it in the same moment', async () => {
    const { clock, pass } = create();
    const reached: string[] = [];
    const stopSecond: (() => void)[] = [];
    clock.startLimit(30, () => {
      reached.push('first');
      stopSecond[0]?.();
    });
    stopSecond.push(clock.startLimit(30, () => reached.push('second')));
    const stop = clock.startLimit(30, () => reached.push('stopped'));
    stop();
    stop();
    await pass(30 + limitGranularityMs);
    await waitUntil('one is reached', () => reached.length > 0, inTime);
    await pass(2 * limitGranularityMs);
    expect(reached).toEqual(['first']);
  });

  it('is reached after those that are due before it, and one that is started meanwhile in its own time', async () => {
    const { clock, pass } = create();
    const reached: string[] = [];
    const dueAtMs: Record<string, number> = {};
    const start = (name: string, ms: number, meanwhile = (): void => undefined): void => {
      dueAtMs[name] = clock.monotonicMs() + ms;
      clock.startLimit(ms, () => {
        reached.push(name);
        meanwhile();
      });
    };
    start('late', 80);
    start('early', 30, () => start('between', 10));
    await pass(80 + limitGranularityMs);
    await waitUntil('all are reached', () => reached.length === 3, inTime);
    // On a busy machine the early one may be so late that the one between is due last.
    const inOrder = Object.keys(dueAtMs).toSorted((a, b) => (dueAtMs[a] ?? 0) - (dueAtMs[b] ?? 0));
    expect(reached).toEqual(inOrder);
  });
});

describe('all limits of a process', () => {
  interface Timer {
    setAtMs: number;
    atMs: number;
    onDue: () => void;
    isHolding: boolean;
  }

  /** Node’s timers, of a time that stands still until it is moved. */
  function createTimers() {
    let nowMs = 1_000;
    let timers: Timer[] = [];
    let set = 0;
    const limits = createTimeLimits({
      monotonicMs: () => nowMs,
      granularityMs: 20,
      setTimer(onDue, ms) {
        set += 1;
        const timer = { setAtMs: nowMs, atMs: nowMs + ms, onDue, isHolding: true };
        timers.push(timer);
        return {
          ref: () => (timer.isHolding = true),
          unref: () => (timer.isHolding = false),
          close: () => (timers = timers.filter((each) => each !== timer)),
        };
      },
    });
    return {
      limits,
      nowMs: () => nowMs,
      timersSet: () => set,
      timers: () => timers,
      /** @param earlyMs by how much Node’s timers go off before their time */
      passTo(untilMs: number, earlyMs = 0): void {
        const goesOffAtMs = ({ setAtMs, atMs }: Timer): number => Math.max(setAtMs + 0.5, atMs - earlyMs);
        for (let due = next(); due !== undefined && goesOffAtMs(due) <= untilMs; due = next()) {
          const timer = due;
          timers = timers.filter((each) => each !== timer);
          nowMs = Math.max(nowMs, goesOffAtMs(timer));
          timer.onDue();
        }
        nowMs = untilMs;
      },
    };
    function next(): Timer | undefined {
      return timers.toSorted((a, b) => a.atMs - b.atMs)[0];
    }
  }

  it('have one timer, whatever is started and stopped', () => {
    const { limits, timers, timersSet } = createTimers();
    const stops = Array.from({ length: 10_000 }, (_, n) => limits.start(5_000 + (n % 7) * 100, () => undefined));
    expect(timers()).toHaveLength(1);
    for (const stop of stops) stop();
    expect(limits.running).toBe(0);
    limits.start(6_000, () => undefined);
    expect([timers().length, timersSet()]).toEqual([1, 1]);
  });

  it.each([0, 0.9])(
    'are never early, and late by less than the granularity, where timers are early by %d ms',
    (earlyMs) => {
      const { limits, passTo, nowMs } = createTimers();
      const lateMs: number[] = [];
      for (let n = 0; n < 1_000; n += 1) {
        const dueMs = nowMs() + ((n * 37) % 2_003);
        limits.start(dueMs - nowMs(), () => lateMs.push(nowMs() - dueMs));
        if (n % 3 === 0) passTo(nowMs() + 7, earlyMs);
      }
      passTo(nowMs() + 2_100, earlyMs);
      expect(limits.running).toBe(0);
      expect(lateMs).toHaveLength(1_000);
      expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...lateMs)).toBeLessThan(22);
    },
  );

  it('that are due at one instant are reached by one timer', () => {
    const { limits, passTo, timersSet } = createTimers();
    let reached = 0;
    const again = (): void => {
      reached += 1;
      limits.startAt(3_000, () => (reached += 1));
    };
    for (let n = 0; n < 50; n += 1) limits.startAt(2_000, again);
    passTo(2_500);
    expect(reached).toBe(50);
    passTo(3_500);
    expect([reached, timersSet()]).toEqual([100, 2]);
  });

  it('leave nothing: no timer holds the process, and the last one goes by itself', () => {
    const { limits, timers, passTo } = createTimers();
    const stop = limits.start(5_000, () => undefined);
    expect(timers().map(({ isHolding }) => isHolding)).toEqual([true]);
    stop();
    expect(timers().map(({ isHolding }) => isHolding)).toEqual([false]);
    limits.start(7_000, () => undefined)();
    const again = limits.start(7_000, () => undefined);
    expect(timers().map(({ isHolding }) => isHolding)).toEqual([true]);
    again();
    passTo(20_000);
    expect(timers()).toEqual([]);
  });
});
