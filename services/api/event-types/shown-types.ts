import type { Caller } from '../keys/identify-caller.ts';
import type { FoundType } from '../resources/event-type.ts';

/** A portal session sees the types that are public or for portals; an internal one is none to it. */
const isCustomer = ({ session }: Pick<Caller, 'session'>): boolean => session?.portal !== undefined;

/** The filter that narrows a list to what the caller may see. `public` alone may be asked for, too. */
export const shownTypesOf = (
  caller: Pick<Caller, 'session'>,
  asked: string | undefined,
): { visibility?: 'public' | 'portal' } =>
  isCustomer(caller) ? { visibility: asked === 'public' ? 'public' : 'portal' } : {};

/** The type, if the caller may see it. */
export const ifShown = (caller: Pick<Caller, 'session'>, found: FoundType | undefined): FoundType | undefined =>
  isCustomer(caller) && found?.visibility === 'internal' ? undefined : found;
