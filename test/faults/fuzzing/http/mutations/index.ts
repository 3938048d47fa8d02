/** What is made of a sound request: each kind by its name, which says of which part it is. */
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
    // Of a GET too, which has none.
    ...bodyMutations,
    ...(service === 'api' && method === 'POST' && keyMutations),
  };
}
