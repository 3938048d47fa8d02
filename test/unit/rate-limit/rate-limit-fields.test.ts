import { rateLimitFields, waitSeconds } from '#lib/rate-limit';

const rate = { perSecond: 100, burst: 200 };

test('a policy is one burst in the time in which the rate yields it', () => {
  const policyOf = (perSecond: number, burst: number) =>
    rateLimitFields([{ name: 'a', rate: { perSecond, burst } }])['ratelimit-policy'];
  expect(policyOf(100, 200)).toBe('"a";q=200;w=2');
  expect(policyOf(0.001, 1)).toBe('"a";q=1;w=1000');
  expect(policyOf(1_000_000, 1)).toBe('"a";q=1;w=1');
});

test('the state is what is left, and the seconds until all of it is back', () => {
  const stateOf = (left: number) =>
    rateLimitFields([{ name: 'a', rate, permit: { granted: true, left } }])['ratelimit'];
  expect(stateOf(200)).toBe('"a";r=200;t=0');
  expect(stateOf(150.7)).toBe('"a";r=150;t=1');
  expect(stateOf(0)).toBe('"a";r=0;t=2');
});

test('of a refused request it is the time until the next permit, as in Retry-After', () => {
  const permit = { granted: false, retryAfterMs: 1_200 } as const;
  expect(waitSeconds(permit)).toBe(2);
  expect(rateLimitFields([{ name: 'a', rate, permit }])).toEqual({
    'ratelimit-policy': '"a";q=200;w=2',
    ratelimit: '"a";r=0;t=2',
  });
});

test('a rate that was not asked, or of which nothing is known, is a policy alone', () => {
  const fields = rateLimitFields([
    { name: 'a', rate, permit: { granted: true } },
    { name: 'b', rate },
  ]);
  expect(fields).toEqual({ 'ratelimit-policy': '"a";q=200;w=2, "b";q=200;w=2' });
});
