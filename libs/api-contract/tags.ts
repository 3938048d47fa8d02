import { maxTags, tagNamePattern } from '#lib/contract';
import { locator } from './fields.ts';

/** The tags of a published event; names and values are checked beside. */
export const tags = {
  type: 'object',
  maxProperties: maxTags,
  additionalProperties: { type: 'string', maxLength: 1_000 },
} as const;

/** Places where a source finds its events' tags. */
export const tagsFrom = { type: 'object', maxProperties: maxTags, additionalProperties: locator } as const;

/** A tag to filter by; no event has one of another form. */
export const tagFilter = {
  type: 'string',
  maxLength: 300,
  pattern: `${tagNamePattern.slice(0, -1)}:[^\\u0000]+$`,
  description: '`name:value`',
} as const;
