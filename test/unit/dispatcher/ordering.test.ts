import { orderingKeyOf } from '../../../services/dispatcher/model/ordering.ts';

test('a delivery is held to its key where its endpoint is ordered, and it has one, the empty one included', () => {
  const keyOf = (orderingKey: string | null, ordered = true) => orderingKeyOf({ ordered }, { orderingKey });
  expect(keyOf('customer-1')).toMatch(/^[0-9a-f]{32}$/);
  expect(keyOf('')).toMatch(/^[0-9a-f]{32}$/);
  expect(keyOf('customer-1')).not.toBe(keyOf('customer-2'));
  expect(keyOf('a NUL: \0, and long: '.repeat(1_000))).toHaveLength(32);
  expect([keyOf(null), keyOf('customer-1', false), orderingKeyOf(undefined, { orderingKey: 'k' })]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});
