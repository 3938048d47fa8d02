import { createManualClock } from '#lib/runtime';
import { createRebuildLimits } from '../../../libs/kafka/consuming/rebuilding/rebuild-limits.ts';

test('the silence that is borne doubles with each rebuild that is not heard of, four times at most, with jitter upwards', () => {
  let random = 0;
  const limits = createRebuildLimits(createManualClock(), 45_000, () => random);
  expect(limits.silenceMs()).toBe(45_000);
  random = 0.999;
  expect(limits.silenceMs()).toBeGreaterThan(49_000);
  expect(limits.silenceMs()).toBeLessThan(49_500);
  random = 0;
  const borne = [1, 2, 3].map(() => (limits.rebuilt(), limits.silenceMs()));
  expect(borne).toEqual([90_000, 180_000, 180_000]);
  limits.heard();
  expect(limits.silenceMs()).toBe(45_000);
});

test('the third within five minutes is one too many, heard of in between or not', async () => {
  const clock = createManualClock();
  const limits = createRebuildLimits(clock, 45_000, () => 0);
  expect(limits.rebuilt()).toBe(false);
  limits.heard();
  await clock.advance(150_000);
  expect(limits.rebuilt()).toBe(false);
  await clock.advance(150_000);
  expect(limits.rebuilt()).toBe(true);
});

test('three that lie further apart are none too many', async () => {
  const clock = createManualClock();
  const limits = createRebuildLimits(clock, 45_000, () => 0);
  for (let times = 0; times < 5; times += 1) {
    expect(limits.rebuilt()).toBe(false);
    await clock.advance(150_001);
  }
});

test('a consumer that never hears anything again ends at its third silence, the most jitter included', async () => {
  const clock = createManualClock();
  const limits = createRebuildLimits(clock, 45_000, () => 0.999);
  const ends: boolean[] = [];
  for (let times = 0; times < 3; times += 1) {
    await clock.advance(limits.silenceMs());
    ends.push(limits.rebuilt());
  }
  expect(ends).toEqual([false, false, true]);
});
