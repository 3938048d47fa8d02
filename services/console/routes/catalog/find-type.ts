import { nameIn } from '../../catalog/addresses.ts';
import type { Catalog, Found, TypeWithNewest } from '../../catalog/catalog.ts';
import { moved, type PageResult, problem } from '../../page-result.ts';

/** The type of an address. What can't be the name of one is not asked for. */
export async function findType(
  catalog: Catalog,
  { params, query }: { params: { type: string }; query: URLSearchParams },
): Promise<Found<TypeWithNewest>> {
  const name = nameIn(params.type, query);
  return name === undefined ? { kind: 'missing' } : catalog.type(name);
}

/** The answer of a page below a type that is not there by this name. @param to where it is by the name of today; undefined: nowhere */
export function answerElsewhere(kind: 'moved' | 'gone' | 'missing', to?: string): PageResult {
  if (kind === 'moved' && to !== undefined) return moved(to);
  return problem(kind === 'gone' ? 410 : 404);
}
