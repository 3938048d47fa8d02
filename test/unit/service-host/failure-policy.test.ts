import { AppError, createManualClock } from '#lib/runtime';
import { createFailurePolicy, type Verdict } from '../../../libs/service-host/failure-policy.ts';

const minuteMs = 60_000;
const broken = { error: new Error('broken'), isStart: false };
const away = { error: new AppError('redis_unavailable', 'away'), isStart: true };

function policy() {
  const clock = createManualClock();
  // In the middle of the spread: the waits themselves.
  return { clock, policy: createFailurePolicy(clock, () => 0.5) };
}
const waitOf = (verdict: Verdict): number | 'end' => (verdict === 'end the process' ? 'end' : verdict.rebuildAfterMs);

test('the wait doubles with each failure in a row, and the fifth within half an hour ends the process', () => {
  const { policy: each } = policy();
  expect([1, 2, 3, 4, 5].map(() => waitOf(each.decide(broken)))).toEqual([1_000, 2_000, 4_000, 8_000, 'end']);
});

test('a failure after a minute of running is the first of a row again', async () => {
  const { clock, policy: each } = policy();
  each.decide(broken);
  each.decide(broken);
  each.started();
  await clock.advance(minuteMs);
  expect(waitOf(each.decide(broken))).toBe(1_000);
});

test('failures that are half an hour apart are never too many', async () => {
  const { clock, policy: each } = policy();
  for (let failure = 0; failure < 10; failure += 1) {
    each.started();
    await clock.advance(10 * minuteMs);
    expect(each.decide(broken)).not.toBe('end the process');
  }
});

test('a start that fails because a dependency is away is tried again without end, at half a minute at the most', () => {
  const { policy: each } = policy();
  const waits = Array.from({ length: 100 }, () => waitOf(each.decide(away)));
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(waits).not.toContain('end');
});

test('the same error while it runs counts: it has tried for long by then', () => {
  const { policy: each } = policy();
  const verdicts = [1, 2, 3, 4, 5].map(() => each.decide({ ...away, isStart: false }));
  expect(verdicts.at(-1)).toBe('end the process');
});
