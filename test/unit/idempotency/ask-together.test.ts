import { askTogether } from '../../../libs/idempotency/ask-together.ts';

test('those who ask within a turn of the event loop are answered by one call, each by its own answer', async () => {
  const calls: (readonly number[])[] = [];
  const ask = askTogether(async (keys: readonly number[]) => {
    calls.push(keys);
    return keys.map((key) => key * 10);
  });
  expect(await Promise.all([ask(1), ask(2)])).toEqual([10, 20]);
  expect(await ask(3)).toBe(30);
  expect(calls).toEqual([[1, 2], [3]]);
});

test('a call that fails fails for those whom it was for, and for nobody else', async () => {
  let failing = true;
  const ask = askTogether(async (keys: readonly string[]) => {
    if (failing) throw new Error('away');
    return keys;
  });
  const failed = await Promise.allSettled([ask('a'), ask('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failing = false;
  expect(await ask('c')).toBe('c');
});
