import fc from 'fast-check';
import { createManualClock } from '#lib/runtime';
import { createMembershipLease } from '../../../libs/kafka/consuming/membership-lease.ts';

const sessionMs = 10_000;

test('a lease is counted from the sign of life before the last one, and there is none before two', async () => {
  const clock = createManualClock();
  const lease = createMembershipLease(clock, sessionMs);
  expect(lease.holds()).toBe(false);
  lease.heard();
  expect(lease.holds()).toBe(false);
  await clock.advance(2_000);
  lease.heard();
  expect(lease.holds()).toBe(true);
  await clock.advance(7_999);
  expect(lease.holds()).toBe(true);
  await clock.advance(1);
  expect(lease.holds()).toBe(false);
});

test('an answer that is looked at late, after the process was paused, does not renew it', async () => {
  const clock = createManualClock();
  const lease = createMembershipLease(clock, sessionMs);
  for (let beats = 0; beats < 3; beats += 1) {
    lease.heard();
    await clock.advance(2_000);
  }
  // The answer to the last heartbeat came at the beginning of this.
  await clock.advance(60_000);
  lease.heard();
  expect(lease.holds()).toBe(false);
  await clock.advance(2_000);
  lease.heard();
  expect(lease.holds()).toBe(true);
});

/** Heartbeats, and how late the answers to them are looked at; the lease is asked then, and some time after. */
const anyBeats = fc.array(fc.record({ pauseMs: fc.nat(12_000), lookMs: fc.nat(30_000), afterMs: fc.nat(12_000) }), {
  maxLength: 20,
});

interface Beat {
  pauseMs: number;
  lookMs: number;
  afterMs: number;
}

async function neverTooLong(createLease: typeof createMembershipLease, beats: readonly Beat[]): Promise<void> {
  const clock = createManualClock();
  const lease = createLease(clock, sessionMs);
  for (const { pauseMs, lookMs, afterMs } of beats) {
    await clock.advance(pauseMs);
    // The group hears of the member at once.
    const reachedMs = clock.monotonicMs();
    await clock.advance(lookMs);
    lease.heard();
    for (const waitMs of [0, afterMs]) {
      await clock.advance(waitMs);
      if (lease.holds()) expect(clock.monotonicMs()).toBeLessThan(reachedMs + sessionMs);
    }
  }
}

test('it never holds when the group may have given the member up, however late answers are looked at', async () => {
  await fc.assert(fc.asyncProperty(anyBeats, (beats) => neverTooLong(createMembershipLease, beats)));
});

test('it would, if it were counted from the last answer', async () => {
  const fromTheLast: typeof createMembershipLease = (clock) => {
    let lastMs = Number.NEGATIVE_INFINITY;
    return {
      heard: () => void (lastMs = clock.monotonicMs()),
      holds: () => clock.monotonicMs() < lastMs + sessionMs,
    };
  };
  const run = await fc.check(
    fc.asyncProperty(anyBeats, (beats) => neverTooLong(fromTheLast, beats)),
    {
      endOnFailure: true,
    },
  );
  expect(run.failed).toBe(true);
});
