import { createManualClock } from '#lib/runtime';
import { createGroupPresence } from '../../../libs/kafka/consuming/rebuilding/group-presence.ts';

const sessionTimeoutMs = 10_000;

test('nobody is a member before the first join, and the absence counts from the start', async () => {
  const clock = createManualClock();
  const presence = createGroupPresence(clock, sessionTimeoutMs);
  await clock.advance(3_000);
  expect([presence.isMember(), presence.absentMs()]).toEqual([false, 3_000]);
  presence.heard();
  expect([presence.isMember(), presence.absentMs()]).toEqual([true, 0]);
});

test('a member is one through a rebalance of seconds, and none once its group would have given it up', async () => {
  const clock = createManualClock();
  const presence = createGroupPresence(clock, sessionTimeoutMs);
  presence.heard();
  await clock.advance(sessionTimeoutMs - 1);
  expect([presence.isMember(), presence.absentMs()]).toEqual([true, 0]);
  await clock.advance(1);
  expect([presence.isMember(), presence.absentMs()]).toEqual([false, sessionTimeoutMs]);
  await clock.advance(50_000);
  expect(presence.absentMs()).toBe(60_000);
  presence.heard();
  expect([presence.isMember(), presence.absentMs()]).toEqual([true, 0]);
});
