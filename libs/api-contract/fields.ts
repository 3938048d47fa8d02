/** Fields of requests that several resources have. A description completes the sentence "must be …" in an error. */
import { textOf } from './schema.ts';

/** An RFC 3339 date-time, whose handler reads it. */
export const dateTime = textOf({ maxLength: 64 });

/** Any text may be a filter; only text that Postgres can't store is refused. */
export const filterText = textOf({ maxLength: 300, pattern: '^[^\\u0000]*$', description: 'text' });
