/** The mutations of a sound request: the name of each says which part it changes. */
import type { FuzzedRoute } from '../routes.ts';
import { bodyMutations } from './body.ts';
import { headerMutations } from './headers.ts';
import { keyMutations } from './idempotency-key.ts';
import type { Mutation } from './mutation.ts';
import { pathMutations } from './path.ts';
import { queryMutations } from './query.ts';

/** By the part of the request: those that a route may have. */
export function mutationsOf({ service, method }: FuzzedRoute): Readonly<Record<string, Mutation>> {
  return {
    sound: (sound) => sound,
    ...pathMutations,
    ...queryMutations,
    ...headerMutations,
    // For a GET too, which has no body.
    ...bodyMutations,
    ...(service === 'api' && method === 'POST' && keyMutations),
  };
}
