import fc from 'fast-check';
import { createPendingRejections } from '../../../services/ingress/rejections/pending-rejections.ts';
import { rejectionOf } from './rejections.ts';

const perSource = 5;
const over = 1_000;

function createCounted() {
  const counted = { dropped: 0 };
  return { counted, pending: createPendingRejections(() => (counted.dropped += 1)) };
}
const idsOf = (rejections: readonly { id: string }[]): string[] => rejections.map(({ id }) => id);

describe('the rejections that wait to be written', () => {
  test('are the last five of a source, and all others are counted', () => {
    const { counted, pending } = createCounted();
    for (let index = 0; index < 12; index += 1) pending.add(rejectionOf({ id: `rej_${index}` }));
    expect(idsOf(pending.take(100))).toEqual(['rej_7', 'rej_8', 'rej_9', 'rej_10', 'rej_11']);
    expect(counted.dropped).toBe(7);
    expect(pending.take(100)).toEqual([]);
  });

  test('of a thousand sources and one more, that of the first gives way', () => {
    const { counted, pending } = createCounted();
    for (let index = 0; index <= over; index += 1)
      pending.add(rejectionOf({ id: `rej_${index}`, sourceId: `src_${index}` }));
    const taken = idsOf(pending.take(over + 1));
    expect([taken.length, taken[0], taken.at(-1), counted.dropped]).toEqual([over, 'rej_1', `rej_${over}`, 1]);
  });

  test('a flood on one source takes no room from the others', () => {
    const { pending } = createCounted();
    pending.add(rejectionOf({ id: 'rej_quiet', sourceId: 'src_quiet' }));
    for (let index = 0; index < 10 * over; index += 1)
      pending.add(rejectionOf({ id: `rej_${index}`, sourceId: 'src_loud' }));
    expect(idsOf(pending.take(over))).toHaveLength(1 + perSource);
  });

  test('that could not be written stand before the newer ones, which keep their room', () => {
    const { counted, pending } = createCounted();
    for (let index = 0; index < 4; index += 1) pending.add(rejectionOf({ id: `rej_old_${index}` }));
    const failed = pending.take(4);
    for (let index = 0; index < 3; index += 1) pending.add(rejectionOf({ id: `rej_new_${index}` }));
    pending.putBack(failed);
    expect(idsOf(pending.take(9))).toEqual(['rej_old_2', 'rej_old_3', 'rej_new_0', 'rej_new_1', 'rej_new_2']);
    expect(counted.dropped).toBe(2);
  });

  test('whatever happens, none is there twice or vanishes uncounted, and the bounds hold', () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ add: fc.integer({ min: 0, max: 30 }), many: fc.integer({ min: 1, max: 60 }) }),
      },
      { weight: 2, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 300 }), fails: fc.boolean() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { counted, pending } = createCounted();
        const written: string[] = [];
        let added = 0;
        for (const does of steps) {
          if ('add' in does) {
            for (let index = 0; index < does.many; index += 1)
              pending.add(rejectionOf({ id: `rej_${(added += 1)}`, sourceId: `src_${does.add}` }));
          } else {
            const taken = pending.take(does.take);
            expect(taken.length).toBeLessThanOrEqual(does.take);
            if (does.fails) pending.putBack(taken);
            else written.push(...idsOf(taken));
          }
        }
        const left = pending.take(over + 1);
        const perSourceCounts = new Map<string, number>();
        for (const { sourceId } of left) perSourceCounts.set(sourceId, (perSourceCounts.get(sourceId) ?? 0) + 1);
        expect(Math.max(0, ...perSourceCounts.values())).toBeLessThanOrEqual(perSource);
        expect(left.length).toBeLessThanOrEqual(over);
        written.push(...idsOf(left));
        expect(new Set(written).size).toBe(written.length);
        expect(written.length + counted.dropped).toBe(added);
      }),
    );
  });
});
