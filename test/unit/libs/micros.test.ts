import { createManualClock, microsOf, nowMicros } from '#lib/runtime';

describe('microseconds', () => {
  test('are read of an instant as Postgres gives it, to the last digit', () => {
    expect(microsOf('2026-11-21T07:55:23.000001Z')).toBe(1_795_247_723_000_001);
  });

  test.each(['', 'infinity', '2026-11-21'])('of a text that is no instant (%j) are a data error', (text) => {
    expect(() => microsOf(text)).toThrow(expect.objectContaining({ code: 'data_invalid', retryable: false }) as Error);
  });

  test('of now are a whole number, even if the clock shows fractions of a millisecond', async () => {
    const clock = createManualClock(1_795_247_723_000);
    expect(nowMicros(clock)).toBe(1_795_247_723_000_000);
    await clock.advance(0.123);
    expect(nowMicros(clock)).toBe(1_795_247_723_000_123);
  });
});
