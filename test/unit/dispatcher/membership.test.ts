import { createMembership } from '../../../services/dispatcher/model/membership.ts';

test('partitions are held only as the consumer says, and not before there is one', () => {
  const membership = createMembership();
  expect(membership.holds()).toBe(false);
  let owns = true;
  membership.follow({ holdsMembership: () => owns });
  expect(membership.holds()).toBe(true);
  owns = false;
  expect(membership.holds()).toBe(false);
});
