import { maxTags, tagNamePattern } from '#lib/contract';
import { locator } from './fields.ts';
import * as t from './schema.ts';

/** The tags of a published event; names and values are checked beside. */
export const tags = t.mapOf(t.textOf({ maxLength: 1_000 }), { maxProperties: maxTags });

/** Places where a source finds its events' tags. */
export const tagsFrom = t.mapOf(locator, { maxProperties: maxTags });

/** A tag to filter by; no event has one of another form. */
export const tagFilter = t.textOf({
  maxLength: 300,
  pattern: `${tagNamePattern.slice(0, -1)}:[^\\u0000]+$`,
  description: '`name:value`',
});
