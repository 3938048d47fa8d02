import type { Listed, ReadApi } from './console-api.ts';

/** Each looks at up to 5,000 rows. */
const mostPages = 5;

/**
 * A page of a list by filters, of which the API looks at a bounded number of rows: one without a match that links on is not the end. What is
 * empty and has a next page all the same is a list in which nothing was found so far.
 */
export async function listOnwards<T>(
  api: Pick<ReadApi, 'list'>,
  path: string,
  parameters: URLSearchParams,
): Promise<Listed<T>> {
  let listed = await api.list<T>(path, parameters);
  for (let pages = 1; pages < mostPages; pages += 1) {
    if (!listed.ok || listed.items.length > 0 || listed.next === undefined) break;
    listed = await api.list<T>(path, listed.next);
  }
  return listed;
}
