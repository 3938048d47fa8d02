import type { Endpoint } from '#lib/api-contract';
import type { Listed, ReadApi } from './console-api.ts';

interface Named {
  /** The names, by id. */
  names: ReadonlyMap<string, string>;
  /** Whether these are all: then any other id is of a deleted one. */
  isComplete: boolean;
}

/** The names of endpoints and sources, to show more than their ids. */
export interface TenantNames {
  endpoints: Named;
  sources: Named;
}

type NamedEndpoint = Pick<Endpoint, 'id' | 'url'> & Partial<Pick<Endpoint, 'description'>>;

/** The names of endpoints, by id: their URLs. Where several have the same one, the description follows it, or the end of the id. */
export function endpointNames(endpoints: readonly NamedEndpoint[]): ReadonlyMap<string, string> {
  const byUrl = Map.groupBy(endpoints, ({ url }) => url);
  return new Map(endpoints.map((endpoint) => [endpoint.id, nameAmong(endpoint, byUrl.get(endpoint.url) ?? [])]));
}

function nameAmong({ id, url, description = '' }: NamedEndpoint, sameUrl: readonly NamedEndpoint[]): string {
  if (sameUrl.length === 1) return url;
  const isClear = description !== '' && sameUrl.filter((other) => other.description === description).length === 1;
  return isClear ? `${url} · ${description}` : `${url} (${id.slice(-idEnd)})`;
}

/** Characters. The end of an id tells it from its neighbours: its beginning is the time. */
const idEnd = 8;

interface Asking {
  api: ReadApi;
  isCustomer: boolean;
}

const unknownNames: Named = { names: new Map(), isComplete: false };

/** In place of names that are not asked for. */
export const noNames: TenantNames = { endpoints: unknownNames, sources: unknownNames };

/** As many are offered as a choice. Others are shown by their ids. */
const maxNamed = 200;

/** Customers are not told of sources. */
export async function readTenantNames({ api, isCustomer }: Asking): Promise<TenantNames> {
  const [endpoints, sources] = await Promise.all([
    namesOf(api.list('GET /v1/endpoints', { query: { limit: maxNamed } }), endpointNames),
    isCustomer ? unknownNames : namesOf(api.list('GET /v1/sources', { query: { limit: maxNamed } }), sourceNames),
  ]);
  return { endpoints, sources };
}

const sourceNames = (sources: readonly { id: string; name: string }[]): ReadonlyMap<string, string> =>
  new Map(sources.map(({ id, name }) => [id, name]));

async function namesOf<T>(
  asked: Promise<Listed<T>>,
  namesIn: (listed: readonly T[]) => ReadonlyMap<string, string>,
): Promise<Named> {
  const listed = await asked;
  if (!listed.ok) return unknownNames;
  return { names: namesIn(listed.items), isComplete: listed.next === undefined };
}
