import { createManualClock } from '#lib/runtime';
import { createLoopDelay } from '../../../services/ingress/load-shedding/loop-delay.ts';

test('a process that is on time has no delay, before it starts and while it runs', async () => {
  const clock = createManualClock();
  const delay = createLoopDelay(clock);
  expect(delay.currentMs()).toBe(0);
  await delay.start();
  for (let step = 0; step < 50; step += 1) {
    await clock.advance(7);
    expect(delay.currentMs()).toBe(0);
  }
  await delay.stop();
});

test('how late it is shows while it has not come back yet, and until it has been on time once', async () => {
  let nowMs = 0;
  const wakers: (() => void)[] = [];
  const delay = createLoopDelay({
    monotonicMs: () => nowMs,
    sleep: () => new Promise((resolve) => wakers.push(resolve)),
    sleepUntilNext: () => new Promise((resolve) => wakers.push(resolve)),
  });
  const wake = async (): Promise<void> => {
    wakers.shift()?.();
    await new Promise(setImmediate);
  };
  await delay.start();
  nowMs += 550;
  expect(delay.currentMs()).toBe(500);
  await wake();
  nowMs += 40;
  expect(delay.currentMs()).toBe(500);
  nowMs += 10;
  await wake();
  expect(delay.currentMs()).toBe(0);
  const stopped = delay.stop();
  await new Promise(setImmediate);
  await wake();
  await stopped;
});

test('while nobody asks it ticks seldom, and what may have been a delay counts as one', async () => {
  const clock = createManualClock();
  let ticks = 0;
  const count = <T>(sleeping: T): T => ((ticks += 1), sleeping);
  const delay = createLoopDelay({
    monotonicMs: clock.monotonicMs,
    sleep: (ms, signal) => count(clock.sleep(ms, signal)),
    sleepUntilNext: (ms, signal) => count(clock.sleepUntilNext(ms, signal)),
  });
  await delay.start();
  await clock.advance(10_100);
  expect(ticks).toBeLessThan(45);
  expect(delay.currentMs()).toBe(200);
  await clock.advance(200);
  expect(delay.currentMs()).toBe(0);
  ticks = 0;
  await clock.advance(1_000);
  expect(ticks).toBeGreaterThan(18);
  await delay.stop();
});
