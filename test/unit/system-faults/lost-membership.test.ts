import { lostMembershipIn } from '../../support/lost-membership.ts';

const line = (fields: object): string =>
  JSON.stringify({ level: 30, time: '2026-01-01T00:00:00.000Z', service: 'dispatcher', ...fields });
const joined = (fields: object): string => line({ event: 'consumer.joined', group: 'test.fan-out', ...fields });

const fault = { what: 'test.fan-out lost its membership', service: 'dispatcher', atMs: 1_000, settledAtMs: 6_000 };

test.each([
  ['a join of another member than before, which lost partitions', joined({ lost: 3, continuous: false }), fault],
  ['a consumer that crashed', line({ event: 'consumer.crashed', group: 'test.fan-out', restart: true }), fault],
  ['a consumer that was built anew', line({ event: 'consumer.rebuilt', group: 'test.fan-out', absentMs: 9 }), fault],
  ['a first join', joined({ lost: 0, continuous: false }), undefined],
  ['a rebalance that took partitions from a member that stayed', joined({ lost: 2, continuous: true }), undefined],
  ['another line', line({ event: 'delivery.attempted' }), undefined],
  ['a line that names the event elsewhere', line({ event: 'x', says: '"event":"consumer.joined"' }), undefined],
  ['a line that is no JSON', 'Warning: consumer.joined', undefined],
])('%s', (_, logged, expected) => {
  expect(lostMembershipIn(logged, 1_000, 5_000)).toEqual(expected);
});
