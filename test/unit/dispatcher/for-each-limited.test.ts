import { forEachLimited } from '../../../services/dispatcher/publishing/publish-all.ts';
import { settle } from './fixtures.ts';

describe('work on each item, a few at a time', () => {
  it('starts in order, the next when one has ended', async () => {
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const all = forEachLimited([1, 2, 3, 4], 2, (item) => {
      started.push(item);
      return new Promise((resolve) => ends.push(resolve));
    });
    expect(started).toEqual([1, 2]);
    ends[1]?.();
    await settle();
    expect(started).toEqual([1, 2, 3]);
    ends[0]?.();
    await settle();
    ends[2]?.();
    ends[3]?.();
    await all;
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('makes items no sooner than it works on them', async () => {
    let made = 0;
    function* items(): Iterable<number> {
      for (; made < 100; made += 1) yield made;
    }
    void forEachLimited(items(), 3, () => new Promise(() => undefined));
    await settle();
    expect(made).toBeLessThanOrEqual(3);
  });

  it('fails as its first failing item does', async () => {
    const work = forEachLimited([1, 2, 3], 2, async (item) => {
      if (item === 2) throw new Error('two');
    });
    await expect(work).rejects.toThrow('two');
  });
});
