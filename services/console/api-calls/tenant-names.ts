import type { ReadApi } from './console-api.ts';
import { withQuery } from './paths.ts';

interface Named {
  /** What each is called, by id. */
  names: ReadonlyMap<string, string>;
  /** Whether these are all: then any other id is of a deleted one. */
  isComplete: boolean;
}

/** What endpoints and sources are called, to show more than their ids. */
export interface TenantNames {
  endpoints: Named;
  sources: Named;
}

interface Asking {
  api: ReadApi;
  isCustomer: boolean;
}

const unknownNames: Named = { names: new Map(), isComplete: false };

/** As many are offered as a choice. Others are shown by their ids. */
const maxNamed = 200;

/** Customers are not told of sources. */
export async function readTenantNames({ api, isCustomer }: Asking): Promise<TenantNames> {
  const [endpoints, sources] = await Promise.all([
    namesOf<{ id: string; url: string }>(api, '/endpoints', ({ url }) => url),
    isCustomer ? unknownNames : namesOf<{ id: string; name: string }>(api, '/sources', ({ name }) => name),
  ]);
  return { endpoints, sources };
}

async function namesOf<T extends { id: string }>(
  api: ReadApi,
  pathname: string,
  nameOf: (one: T) => string,
): Promise<Named> {
  const listed = await api.list<T>(withQuery(pathname, { limit: maxNamed }));
  if (!listed.ok) return unknownNames;
  return {
    names: new Map(listed.items.map((one) => [one.id, nameOf(one)])),
    isComplete: listed.next === undefined,
  };
}
