import { createCrashPoints } from '#lib/runtime';

describe('crash points', () => {
  test('kill at the n-th passing of the named point, and nowhere else', () => {
    const kill = jest.fn();
    const points = createCrashPoints('dedup.after-claim@2', kill);
    points.reach('dedup.after-insert');
    points.reach('dedup.after-claim');
    expect(kill).not.toHaveBeenCalled();
    points.reach('dedup.after-claim');
    expect(kill).toHaveBeenCalledTimes(1);
  });

  test('an unknown name is refused, or a fault test would pass without a fault', () => {
    expect(() => createCrashPoints('dedup.after-lunch')).toThrow(/no such point/);
  });

  test('nothing is armed without a name', () => {
    expect(() => createCrashPoints('').reach('dedup.after-claim')).not.toThrow();
  });
});
