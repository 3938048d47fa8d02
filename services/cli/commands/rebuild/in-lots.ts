const atOnce = 500;

/** Works on so many at once that a statement can take them. */
export async function inLots<T, R>(
  items: readonly T[],
  work: (lot: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await work(items.slice(from, from + atOnce))));
  return results;
}
