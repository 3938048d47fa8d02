import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '#lib/runtime';
import { createRebuildWatch, type DoubtReason } from '../../../libs/kafka/consuming/rebuilding/rebuild-watch.ts';

const limitMs = 45_000;

function watching({ answers = () => true }: { answers?: () => boolean } = {}) {
  const clock = createManualClock();
  const stopping = new AbortController();
  const reasons: DoubtReason[] = [];
  const awayMs: number[] = [];
  let asked = 0;
  const watch = createRebuildWatch({
    clock,
    silenceMs: () => limitMs,
    answersOthers: async () => {
      asked += 1;
      return answers();
    },
    inDoubt: async (reason) => {
      reasons.push(reason);
      return true;
    },
    keepWaiting: (forMs) => {
      awayMs.push(forMs);
      return forMs < 600_000;
    },
  });
  const ended = watch.watch(stopping.signal);
  return { clock, watch, stopping, ended, reasons, awayMs, asked: () => asked };
}

test('silence for its limit puts a member in doubt, and what was built instead once more', async () => {
  const { clock, watch, reasons } = watching();
  watch.heard();
  await clock.advance(limitMs - 2_500);
  expect(reasons).toEqual([]);
  await clock.advance(5_000);
  expect(reasons).toEqual(['silent']);
  await clock.advance(limitMs);
  expect(reasons).toEqual(['silent', 'never_joined']);
});

test('one that is heard again and again is never in doubt, and nobody is asked', async () => {
  const { clock, watch, reasons, asked } = watching();
  for (let times = 0; times < 100; times += 1) {
    watch.heard();
    await clock.advance(limitMs / 2);
  }
  expect([reasons, asked()]).toEqual([[], 0]);
});

test('one that is heard while others are asked is not in doubt', async () => {
  let heard: () => void = () => undefined;
  const { clock, watch, reasons } = watching({ answers: () => (heard(), true) });
  heard = () => watch.heard();
  await clock.advance(limitMs + 5_000);
  expect(reasons).toEqual([]);
});

test('while nobody is answered nobody is in doubt, and the silence counts anew from the first answer on', async () => {
  let isAway = true;
  const { clock, reasons, asked } = watching({ answers: () => !isAway });
  await clock.advance(5 * limitMs);
  expect(reasons).toEqual([]);
  expect(asked()).toBeGreaterThan(10);
  isAway = false;
  await clock.advance(limitMs - 2_500);
  expect(reasons).toEqual([]);
  await clock.advance(10_000);
  expect(reasons).toEqual(['never_joined']);
});

test('an outage without an end ends the watch', async () => {
  const { clock, ended, awayMs } = watching({ answers: () => false });
  await clock.advance(700_000);
  await ended;
  expect(awayMs.at(-1)).toBeGreaterThanOrEqual(600_000);
});

test('a doubt needs no silence', async () => {
  const { clock, watch, reasons } = watching();
  watch.heard();
  watch.doubt('commit_unanswered');
  await clock.advance(5_000);
  expect(reasons).toEqual(['commit_unanswered']);
  await clock.advance(limitMs / 2);
  expect(reasons).toEqual(['commit_unanswered']);
});

test('a pause of the process is no silence, however long: nobody could be heard of in it', async () => {
  const sleeps: (() => void)[] = [];
  const sleep = (): Promise<void> => new Promise((resolve) => sleeps.push(resolve));
  let monotonicMs = 0;
  const reasons: DoubtReason[] = [];
  const watch = createRebuildWatch({
    clock: { sleep, monotonicMs: () => monotonicMs },
    silenceMs: () => limitMs,
    answersOthers: async () => true,
    inDoubt: async (reason) => reasons.push(reason) < 0,
    keepWaiting: () => true,
  });
  void watch.watch(new AbortController().signal);
  monotonicMs += 3_600_000;
  sleeps.shift()?.();
  await turn();
  expect(reasons).toEqual([]);
});

test('a stop ends the watch at once', async () => {
  const { stopping, ended, reasons } = watching();
  stopping.abort();
  await ended;
  expect(reasons).toEqual([]);
});
