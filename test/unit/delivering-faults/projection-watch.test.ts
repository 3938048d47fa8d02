import { watchProjection } from '../../faults/support/projection-watch.ts';
import { waitUntil } from '../../support/wait-until.ts';
const watched = { group: 'test.projector', topic: 'attempts' };

test('a record is in the tables from the look on that finds it committed', async () => {
  let committed = 0;
  let looks = 0;
  const watch = watchProjection({ committed: async () => ({ 'attempts-0': ((looks += 1), committed) }) }, watched);
  await waitUntil('it has looked', () => looks > 0);
  const beforeMs = Date.now();
  committed = 2;
  await waitUntil('it has looked again', () => watch.inTablesAtMs('attempts-0-1') < Number.POSITIVE_INFINITY).finally(
    // oxlint-disable-next-line typescript/no-misused-promises
    () => watch.stop(),
  );
  committed = 9;

  expect(watch.inTablesAtMs('attempts-0-1')).toBeGreaterThanOrEqual(beforeMs);
  // The committed offset is that of the next record.
  expect(watch.inTablesAtMs('attempts-0-2')).toBe(Number.POSITIVE_INFINITY);
  // A misnamed partition would make every record unknown, and every repeat excusable.
  expect(() => watch.inTablesAtMs('attempts-1-0')).toThrow('nobody has looked at the partition of attempts-1-0');
});

test('a watch that Kafka has ended says so, instead of calling every record unknown', async () => {
  const watch = watchProjection({ committed: () => Promise.reject(new Error('no broker')) }, watched);
  await watch.stop();

  expect(() => watch.inTablesAtMs('attempts-0-1')).toThrow('no broker');
});
