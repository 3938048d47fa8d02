import { type AppError, isAppError } from '#lib/errors';

export interface Bisected<T, R> {
  done: { item: T; result: R }[];
  culprits: { item: T; error: AppError }[];
}

/** Does the work on all items at once; where that fails on data, on ever smaller halves, until whatever fails stands alone. */
export async function bisect<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<readonly R[]>,
): Promise<Bisected<T, R>> {
  if (items.length === 0) return { done: [], culprits: [] };
  try {
    const results = await work(items);
    return { done: items.map((item, index) => ({ item, result: results[index] as R })), culprits: [] };
  } catch (error) {
    if (!isAppError(error, 'data_invalid')) throw error;
    const [only] = items;
    if (items.length === 1) return { done: [], culprits: [{ item: only as T, error }] };
    const middle = Math.ceil(items.length / 2);
    const left = await bisect(items.slice(0, middle), work);
    const right = await bisect(items.slice(middle), work);
    return { done: [...left.done, ...right.done], culprits: [...left.culprits, ...right.culprits] };
  }
}
