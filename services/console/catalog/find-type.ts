import type { EventTypeChange } from '#lib/api-contract';
import type { AliasKind } from '#lib/contract';
import { type PageResult, problem } from '../page-result.ts';
import { nameIn } from '../ui/type-links.ts';
import type { Catalog, FoundType, TypeWithNewest } from './catalog.ts';

/** The type of an address. What can't be the name of one is not asked for. */
export async function findType(
  catalog: Catalog,
  { params, query }: { params: { type: string }; query: URLSearchParams },
): Promise<FoundType> {
  const name = nameIn(params.type, query);
  return name === undefined ? { kind: 'missing' } : catalog.type(name);
}

/** The type that a page is below, by its name of today, and how it came by that; or the answer that there is none. */
export async function findTarget(
  catalog: Catalog,
  given: Parameters<typeof findType>[1],
): Promise<{ type: TypeWithNewest; movedBy: AliasKind | undefined } | { refusal: PageResult }> {
  const found = await findType(catalog, given);
  const target = found.kind === 'moved' ? await catalog.type(found.to) : found;
  if (target.kind !== 'found') return { refusal: noType(target.kind) };
  return { type: target.value, movedBy: found.kind === 'moved' ? found.by : undefined };
}

export const noType = (kind: Exclude<FoundType['kind'], 'found'>): PageResult => problem(kind === 'gone' ? 410 : 404);

/** The list of types without a parameter has so many. */
export const perPage = 100;

export const wordsOfChanges = (changes: readonly EventTypeChange[]): readonly string[] =>
  changes.map(({ notes }) => notes ?? '');
