import { addressOfName, type EventTypeVisibility, isEventTypeName, nameInQuery } from '#lib/contract';

/** Below the base: what a canonical address and a sitemap say. A name that proxies would change in a path is in the query. */
export const typePath = (name: string, below = ''): string => addressOfName('/catalog', name, below);
export const versionPath = (name: string, version: number): string => typePath(name, `/v/${version}`);
export const groupPath = (prefix: string): string => addressOfName('/catalog/groups', prefix);

/** The name in an address: that in the path, or for `-` the query parameter. Nothing else can be the name of a type: then nothing is asked about it. */
export function nameIn(inPath: string, query: URLSearchParams): string | undefined {
  const name = inPath === nameInQuery ? (query.get('name') ?? '') : inPath;
  return isEventTypeName(name) && name !== nameInQuery ? name : undefined;
}

/** The same for the beginning of names; with a dot and more it must be a name. */
export function prefixIn(inPath: string, query: URLSearchParams): string | undefined {
  const prefix = inPath === nameInQuery ? (query.get('name') ?? inPath) : inPath;
  return isEventTypeName(`${prefix}.a`) ? prefix : undefined;
}

/** The number of a version; undefined for what is none, or is written otherwise. */
export const versionOf = (text: string): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);

/** Where the pages of types are: those for everybody, or those in the portal. */
export interface TypeLinks {
  type(name: string): string;
  version(name: string, version: number): string;
  /** Whether types of this visibility have a page there. */
  shows(visibility: EventTypeVisibility): boolean;
}

const linksBelow = (list: string, shows: TypeLinks['shows']): TypeLinks => ({
  type: (name) => addressOfName(list, name),
  version: (name, version) => addressOfName(list, name, `/v/${version}`),
  shows,
});

export const catalogLinks = (base: string): TypeLinks =>
  linksBelow(`${base}/catalog`, (visibility) => visibility === 'public');

/** @param t that of the portal */
export const portalLinks = (t: string): TypeLinks =>
  linksBelow(`${t}/event-types`, (visibility) => visibility !== 'internal');
