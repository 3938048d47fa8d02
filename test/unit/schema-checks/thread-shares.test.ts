import { createThreadShares } from '../../../libs/schema-checks/thread-shares.ts';

test('a share is used up by what was spent, and fills with its part of the time that passes', () => {
  const shares = createThreadShares({ share: 0.2, burstMs: 500 });
  expect(shares.hasSome('a', 0)).toBe(true);
  shares.spend('a', 700, 1_000);
  expect([shares.hasSome('a', 2_000), shares.hasSome('b', 2_000)]).toEqual([false, true]);
  expect([shares.hasSome('a', 1_999), shares.hasSome('a', 2_001)]).toEqual([false, true]);
});

test('a share does not grow beyond one burst', () => {
  const shares = createThreadShares({ share: 1, burstMs: 100 });
  shares.spend('a', 0, 0);
  shares.spend('a', 101, 1_000_000);
  expect(shares.hasSome('a', 1_000_000)).toBe(false);
});

test('a thousand tenants are remembered: the one that spent longest ago is forgotten', () => {
  const shares = createThreadShares({ share: 0.001, burstMs: 1 });
  for (let n = 0; n <= 1_000; n += 1) shares.spend(`tenant ${n}`, 5, 0);
  expect([0, 1, 1_000].map((n) => shares.hasSome(`tenant ${n}`, 0))).toEqual([true, false, false]);
});
