/** Time in which others have the processor is not the schema's. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { silentLogger, systemClock } from '#lib/runtime';
import { createSchemaChecks } from '#lib/schema-checks';
import {
  type Exceeded,
  farLimitMs,
  limitProcessorTime,
  processorMs,
} from '../../../libs/schema-checks/processor-limit.ts';
import { patientLimits } from '../../support/patient-checks.ts';

describe('by a clock that is set', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** @param takenMs what the thread says it has taken; undefined: it says nothing */
  function watch(takenMs: () => number | undefined) {
    const heard: Exceeded[] = [];
    const stop = limitProcessorTime({
      thread: {
        cpuUsage: () => {
          const taken = takenMs();
          return taken === undefined
            ? new Promise(() => undefined)
            : Promise.resolve({ user: taken * 1_000, system: 0 });
        },
      },
      sinceMs: 1_000,
      limitMs: 50,
      onExceeded: (exceeded) => heard.push(exceeded),
    });
    return { heard, stop };
  }

  test('a thread that took the limit is too slow, whatever it had taken before', async () => {
    const { heard } = watch(() => 1_050);
    await jest.advanceTimersByTimeAsync(49);
    expect(heard).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(heard).toEqual(['too_slow']);
    await jest.advanceTimersByTimeAsync(farLimitMs(50));
    expect(heard).toEqual(['too_slow']);
  });

  test('a thread that gets a tenth of a processor has ten times as long', async () => {
    const beganAt = Date.now();
    const { heard } = watch(() => 1_000 + (Date.now() - beganAt) / 10);
    await jest.advanceTimersByTimeAsync(495);
    expect(heard).toEqual([]);
    await jest.advanceTimersByTimeAsync(10);
    expect(heard).toEqual(['too_slow']);
  });

  test.each<[string, number | undefined, Exceeded]>([
    ['says that it took little', 1_010, 'busy'],
    ['says nothing', undefined, 'too_slow'],
  ])('a thread that %s is over at the far limit', async (_, taken, exceeded) => {
    const { heard } = watch(() => taken);
    await jest.advanceTimersByTimeAsync(farLimitMs(50) - 1);
    expect(heard).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(heard).toEqual([exceeded]);
  });

  test('nothing is said after the end of the watch', async () => {
    const { heard, stop } = watch(() => 1_050);
    stop();
    await jest.advanceTimersByTimeAsync(farLimitMs(50));
    expect(heard).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('a schema that takes less than its limit is judged, though others take the processor for longer', async () => {
  const { letters, tookMs } = workOf(60);
  const limits = { ...patientLimits, checkMs: 4 * tookMs };
  const checks = createSchemaChecks({ clock: systemClock, log: silentLogger, limits });
  const judge = (payload: string) =>
    checks.check({ key: 'slow', schema: () => '{"pattern":"^(a+)+$"}', payload: JSON.stringify(payload) });
  expect(await judge('a')).toEqual({ kind: 'match' });
  const others = Array.from({ length: 12 * availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
  await Promise.all(others.map((other) => new Promise((resolve) => other.once('online', resolve))));
  try {
    // The scheduler decides how long a check waits; the clock alone must have refused one of them.
    let longestMs = 0;
    for (let checked = 0; checked < 20 && longestMs <= limits.checkMs; checked += 1) {
      const beganAt = performance.now();
      expect(await judge(`${'a'.repeat(letters)}!`)).toMatchObject({ kind: 'mismatch' });
      longestMs = Math.max(longestMs, performance.now() - beganAt);
    }
    expect(longestMs).toBeGreaterThan(limits.checkMs);
  } finally {
    await Promise.all(others.map((other) => other.terminate()));
    await checks.start();
    await checks.stop();
  }
});

/** How many letters keep the pattern busy for `ms` of a processor: one more doubles it. */
function workOf(ms: number): { letters: number; tookMs: number } {
  for (let letters = 16; ; letters += 1) {
    const before = process.threadCpuUsage();
    /^(a+)+$/u.test(`${'a'.repeat(letters)}!`);
    const tookMs = processorMs(process.threadCpuUsage(before));
    if (tookMs >= ms) return { letters, tookMs };
  }
}
