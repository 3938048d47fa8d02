import { type AppError, isAppError } from '#lib/runtime';

export interface Bisected<T, R> {
  done: { item: T; result: R }[];
  /** Bad items with the number of their tries, first with others, at last alone. */
  culprits: { item: T; error: AppError; tries: number }[];
}

/** The failures on which a batch is halved; any other is thrown. */
type Halves = (error: unknown) => error is AppError;

const dataIsRefused: Halves = (error) => isAppError(error, 'data_invalid');

/**
 * Runs the work on all items at once. If their data fails, runs it on smaller and smaller halves until the bad items are isolated.
 *
 * @param halves which errors split the items; default: refused data
 */
export async function bisect<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<readonly R[]>,
  halves = dataIsRefused,
  tries = 1,
): Promise<Bisected<T, R>> {
  if (items.length === 0) return { done: [], culprits: [] };
  try {
    const results = await work(items);
    return { done: items.map((item, index) => ({ item, result: results[index] as R })), culprits: [] };
  } catch (error) {
    if (!halves(error)) throw error;
    const [only] = items;
    if (items.length === 1) return { done: [], culprits: [{ item: only as T, error, tries }] };
    const middle = Math.ceil(items.length / 2);
    const left = await bisect(items.slice(0, middle), work, halves, tries + 1);
    const right = await bisect(items.slice(middle), work, halves, tries + 1);
    return { done: [...left.done, ...right.done], culprits: [...left.culprits, ...right.culprits] };
  }
}
