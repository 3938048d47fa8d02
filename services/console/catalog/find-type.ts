import type { EventTypeSummary } from '#lib/api-contract';
import { moved, type PageResult, problem } from '../page-result.ts';
import { nameIn } from '../ui/type-links.ts';
import type { Catalog, Found, TypeWithNewest } from './catalog.ts';

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

export const perPage = 100;

/** The types that the page without a parameter lists. */
export const firstPage = (all: readonly EventTypeSummary[]): readonly EventTypeSummary[] => all.slice(0, perPage);

export const wordsOf = (listed: readonly { notes: string | null }[]): readonly string[] =>
  listed.map(({ notes }) => notes ?? '');
