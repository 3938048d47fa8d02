import fc from 'fast-check';
import { bisect } from '#lib/dead-letters';
import { AppError } from '#lib/runtime';

const refusing = (bad: (item: number) => boolean) => {
  const calls: number[][] = [];
  const work = async (items: readonly number[]): Promise<string[]> => {
    calls.push([...items]);
    if (items.some(bad)) throw new AppError('data_invalid', 'one of them');
    return items.map((item) => `result of ${item}`);
  };
  return { calls, work };
};

describe('bisecting a batch', () => {
  it('takes one call where nothing fails, none where there is nothing', async () => {
    const { calls, work } = refusing(() => false);
    await bisect([1, 2, 3], work);
    await bisect([], work);
    expect(calls).toEqual([[1, 2, 3]]);
  });

  it('leaves every culprit alone, and gives every other item its own result, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (bad) => {
        const items = bad.map((_, index) => index);
        const isBad = (item: number): boolean => bad[item] === true;
        const { done, culprits } = await bisect(items, refusing(isBad).work);
        expect(culprits.map(({ item }) => item)).toEqual(items.filter((item) => isBad(item)));
        expect(done.map(({ item }) => item)).toEqual(items.filter((item) => !isBad(item)));
        expect(done.every(({ item, result }) => result === `result of ${item}`)).toBe(true);
      }),
    );
  });

  it('finds one of 500 in some twenty calls', async () => {
    const { calls, work } = refusing((item) => item === 321);
    await bisect(
      Array.from({ length: 500 }, (_, index) => index),
      work,
    );
    expect(calls.length).toBeLessThan(22);
  });

  it('does not look for culprits in what is no failure of data', async () => {
    let calls = 0;
    const away = async (): Promise<never> => {
      calls += 1;
      throw new AppError('store_unavailable', 'away');
    };
    await expect(bisect([1, 2, 3], away)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(calls).toBe(1);
  });
});
