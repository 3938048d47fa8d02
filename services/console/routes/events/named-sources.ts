import type { ReadApi } from '../../api-calls/console-api.ts';
import type { TenantContext } from '../../page.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { builtIn, type Source } from '../../pages/events/source-names.ts';
import { type Event, isErased } from './event.ts';


/** The tenant's sources, to be called by their names. */
export async function namedSources(api: ReadApi): Promise<readonly Source[]> {
  const listed = await api.list<Source>(withQuery('/sources', { limit: maxNamed }));
  return listed.ok ? listed.items : [];
}

/** Rows that a script adds: their sources are asked for only if they have any. Undefined for customers. */
export async function sourcesOf(
  { api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>,
  events: readonly Event[],
): Promise<readonly Source[] | undefined> {
  if (isCustomer) return undefined;
  return events.some((event) => !isErased(event) && builtIn[event.source_id] === undefined) ? namedSources(api) : [];
}
