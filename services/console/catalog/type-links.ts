import { addressOfName, type EventTypeVisibility } from '#lib/contract';
import { typePath, versionPath } from './addresses.ts';

/** Where the pages of types are: those for everybody, or those in the portal. */
export interface TypeLinks {
  type(name: string): string;
  version(name: string, version: number): string;
  /** Whether types of this visibility have a page there. */
  shows(visibility: EventTypeVisibility): boolean;
}

export const catalogLinks = (base: string): TypeLinks => ({
  type: (name) => base + typePath(name),
  version: (name, version) => base + versionPath(name, version),
  shows: (visibility) => visibility === 'public',
});

/** @param t that of the portal */
export const portalLinks = (t: string): TypeLinks => {
  const at = (name: string, below = ''): string => addressOfName(`${t}/event-types`, name, below);
  return {
    type: (name) => at(name),
    version: (name, version) => at(name, `/v/${version}`),
    shows: (visibility) => visibility !== 'internal',
  };
};
