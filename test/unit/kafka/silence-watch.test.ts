import { createManualClock } from '#lib/clock';
import { createSilenceWatch } from '../../../libs/kafka/silence-watch.ts';

const limitMs = 600_000;

function watching() {
  const clock = createManualClock();
  const stopping = new AbortController();
  let silences = 0;
  const silence = createSilenceWatch(clock, limitMs, () => (silences += 1));
  const ended = silence.watch(stopping.signal);
  return { clock, silence, stopping, ended, silences: () => silences };
}

test('silence is told of once, when it has lasted', async () => {
  const { clock, ended, silences } = watching();
  await clock.advance(limitMs - 1);
  expect(silences()).toBe(0);
  await clock.advance(1);
  await ended;
  expect(silences()).toBe(1);
  await clock.advance(3 * limitMs);
  expect(silences()).toBe(1);
});

test('who is heard of now and then is not silent, and is once that ends', async () => {
  const { clock, silence, silences } = watching();
  for (let turn = 0; turn < 5; turn += 1) {
    await clock.advance(0.9 * limitMs);
    silence.heard();
  }
  expect(silences()).toBe(0);
  await clock.advance(limitMs);
  expect(silences()).toBe(1);
});

test('a pause of the process is no silence, however long: nobody could be heard of in it', async () => {
  let wake: () => void = () => undefined;
  const sleep = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  let silences = 0;
  const silence = createSilenceWatch({ sleep }, limitMs, () => (silences += 1));
  void silence.watch(new AbortController().signal);
  // An hour may have passed in this one sleep.
  wake();
  await new Promise(setImmediate);
  expect(silences).toBe(0);
});

test('a stop ends it', async () => {
  const { clock, stopping, ended, silences } = watching();
  stopping.abort();
  await ended;
  await clock.advance(2 * limitMs);
  expect(silences()).toBe(0);
});
