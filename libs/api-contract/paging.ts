import { parameter } from './operation.ts';
import * as t from './schema.ts';

/** Parameters of each list that is paged. */
export const pageQuery = {
  limit: parameter(t.textOf({ maxLength: 64 }), 'page size, 1 to 1000; default 100'),
  cursor: parameter(t.textOf({ maxLength: 1_000 }), 'cursor from the `Link` of the previous page'),
};

/** Requests that may be held until there is something to answer. */
export const waitQuery = {
  wait: parameter(t.textOf({ maxLength: 64 }), 'seconds, at most 60; `Prefer: wait=N` does the same'),
};
