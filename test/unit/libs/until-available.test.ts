import { AppError, createManualClock, fullJitterMs, untilAvailable } from '#lib/runtime';

const never = new AbortController().signal;

describe('waiting for a dependency', () => {
  test('goes on for as long as it is away, and then gives the result', async () => {
    const clock = createManualClock();
    let calls = 0;
    const result = untilAvailable(
      async () => {
        calls += 1;
        if (calls < 200) throw new AppError('store_unavailable', 'away');
        return 'there';
      },
      { clock, signal: never },
    );
    await clock.advance(200 * 2_100);
    await expect(result).resolves.toBe('there');
  });

  test('never asks again sooner than after 100 ms', async () => {
    const clock = createManualClock();
    const askedAt: number[] = [];
    const result = untilAvailable(
      async () => {
        askedAt.push(clock.nowMs());
        if (askedAt.length < 20) throw new AppError('kafka_unavailable', 'away');
      },
      { clock, signal: never, random: () => 0 },
    );
    await clock.advance(60_000);
    await result;
    expect(askedAt.slice(1).every((at, index) => at - (askedAt[index] ?? 0) >= 100)).toBe(true);
  });

  test('does not retry what is no outage', async () => {
    const work = jest.fn(async () => {
      throw new AppError('data_invalid', 'bad');
    });
    await expect(untilAvailable(work, { clock: createManualClock(), signal: never })).rejects.toMatchObject({
      code: 'data_invalid',
    });
    expect(work).toHaveBeenCalledTimes(1);
  });

  test('gives up when it is no longer wanted, in the middle of a wait', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const result = untilAvailable(
      async () => {
        throw new AppError('store_unavailable', 'away');
      },
      { clock, signal: abort.signal },
    );
    await new Promise(setImmediate);
    abort.abort();
    await expect(result).rejects.toMatchObject({ code: 'stopped' });
  });
});

test('full jitter stays below the cap, also when the exponent overflows', () => {
  for (const attempt of [0, 1, 10, 2_000]) {
    expect(fullJitterMs({ baseMs: 5_000, capMs: 43_200_000 }, attempt, () => 0.999_999)).toBeLessThan(
      Math.min(43_200_000, 5_000 * 2 ** attempt),
    );
  }
});
