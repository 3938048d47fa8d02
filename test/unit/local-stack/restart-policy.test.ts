import { createRestartPolicy } from '#deploy/local/supervise/restart-policy.ts';

/** No jitter: the middle of what it spreads over. */
const middle = (): number => 0.5;

describe('when a process that has ended is started again', () => {
  it('after a second, then after twice as long each time, up to a minute', () => {
    const policy = createRestartPolicy(middle);
    let nowMs = 0;
    const waits = Array.from({ length: 9 }, () => {
      policy.sawRunning(nowMs);
      const { waitMs } = policy.sawEnded(nowMs);
      nowMs += waitMs;
      expect(policy.sawEnded(nowMs).waitMs).toBe(0);
      policy.tried();
      return waitMs;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
  });

  it('what never comes up waits as long as what runs and ends', () => {
    const policy = createRestartPolicy(middle);
    policy.sawEnded(0);
    policy.tried();
    expect(policy.sawEnded(1_000)).toEqual({ waitMs: 2_000, endedMs: 1_000 });
  });

  it('a minute of running makes the next end the first of a row, less does not', () => {
    const policy = createRestartPolicy(middle);
    for (let ends = 0; ends < 4; ends++) {
      policy.sawEnded(0);
      policy.tried();
    }
    policy.sawRunning(0);
    policy.sawRunning(59_999);
    expect(policy.sawEnded(59_999).waitMs).toBe(16_000);
    policy.tried();
    policy.sawRunning(100_000);
    policy.sawRunning(160_000);
    expect(policy.sawEnded(160_000).waitMs).toBe(1_000);
  });

  it('is spread by a fifth to both sides', () => {
    expect(createRestartPolicy(() => 0).sawEnded(0).waitMs).toBeCloseTo(800);
    expect(createRestartPolicy(() => 1).sawEnded(0).waitMs).toBeCloseTo(1_200);
  });

  it('what somebody else has started is not waited for any more', () => {
    const policy = createRestartPolicy(middle);
    policy.sawEnded(0);
    policy.sawRunning(500);
    expect(policy.sawEnded(5_000)).toEqual({ waitMs: 2_000, endedMs: 5_000 });
  });
});
