import fc from 'fast-check';
import { createOffsetTracker } from '../../../libs/kafka/consuming/offset-tracker.ts';
import { processorTimeMs } from '../../support/processor-time.ts';

/** A log from `start` on, with holes: the offsets of its records, and an order in which they are done. */
const logs = fc
  .record({
    start: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    gaps: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 }),
  })
  .chain(({ start, gaps }) => {
    let next = start;
    const offsets = gaps.map((gap) => {
      const offset = next + BigInt(gap);
      next = offset + 1n;
      return offset;
    });
    return fc.record({ start: fc.constant(start), offsets: fc.constant(offsets), order: fc.shuffledSubarray(offsets) });
  });

test('whatever is done in whatever order, the position is the lowest offset that is not done, and the oldest record its', () => {
  fc.assert(
    fc.property(logs, ({ start, offsets, order }) => {
      const tracker = createOffsetTracker(start);
      const tracked = new Map(offsets.map((offset) => [offset, tracker.receive(offset, Number(offset))]));
      const open = new Set(offsets);
      const end = (offsets.at(-1) ?? start - 1n) + 1n;
      for (const offset of order) {
        tracker.done(tracked.get(offset) ?? -1);
        open.delete(offset);
        expect(tracker.position()).toBe([...open][0] ?? end);
        expect(tracker.open()).toBe(open.size);
        expect(tracker.oldestOpenAtMs()).toBe(open.size === 0 ? undefined : Number([...open][0]));
      }
    }),
  );
});

test('nothing received leaves the position where it started', () => {
  expect(createOffsetTracker(17n).position()).toBe(17n);
});

test('a record that is done twice counts once', () => {
  const tracker = createOffsetTracker(0n);
  const [first, second] = [tracker.receive(0n, 0), tracker.receive(1n, 0)];
  expect([tracker.done(second), tracker.done(second)]).toEqual([true, false]);
  expect(tracker).toMatchObject({ open: expect.any(Function) as unknown });
  expect([tracker.position(), tracker.open()]).toEqual([0n, 1]);
  expect(tracker.done(first)).toBe(true);
  expect([tracker.position(), tracker.open()]).toEqual([2n, 0]);
});

test('one that was done so long ago that it is kept no more counts no second time either', () => {
  const tracker = createOffsetTracker(5n);
  const tickets = Array.from({ length: 5_000 }, (_, i) => tracker.receive(BigInt(5 + i), i));
  for (const ticket of tickets.slice(0, 4_000)) tracker.done(ticket);
  expect(tickets.slice(0, 4_000).map(tracker.done)).not.toContain(true);
  expect([tracker.position(), tracker.open(), tracker.span(), tracker.oldestOpenAtMs()]).toEqual([
    4_005n,
    1_000,
    1_000,
    4_000,
  ]);
  expect(tickets.slice(4_000).map(tracker.done)).not.toContain(false);
  expect([tracker.position(), tracker.open()]).toEqual([5_005n, 0]);
});

test('a hundred thousand records done from the end to the front take no longer than they should', () => {
  const tracker = createOffsetTracker(0n);
  const tracked = Array.from({ length: 100_000 }, (_, i) => tracker.receive(BigInt(i), i));
  const startedAtMs = processorTimeMs();
  for (const each of tracked.reverse()) tracker.done(each);
  expect(tracker.position()).toBe(100_000n);
  expect(processorTimeMs() - startedAtMs).toBeLessThan(1_000);
});
