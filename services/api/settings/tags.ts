import { isTagName, isTagValue, maxTagBytes, maxTags, tagNamePattern, type Tags } from '#lib/contract';
import { fieldUnder } from '../http/field-errors.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import { locator } from './fields.ts';

/** The tags of a published event; `tagErrors` checks names and values. */
export const tags = {
  type: 'object',
  maxProperties: maxTags,
  additionalProperties: { type: 'string', maxLength: 1_000 },
} as const;

/** Places where a source finds its events' tags; `tagNameErrors` checks the names. */
export const tagsFrom = { type: 'object', maxProperties: maxTags, additionalProperties: locator } as const;

/** A tag to filter by; no event has one of another form. */
export const tagFilter = {
  type: 'string',
  maxLength: 300,
  pattern: `${tagNamePattern.slice(0, -1)}:[^\\u0000]+$`,
  description: '`name:value`',
} as const;

export const tagErrors = (given: Tags): FieldErrors => [
  ...tagNameErrors('/tags', given),
  ...Object.entries(given).flatMap(([name, value]) =>
    isTagValue(value)
      ? []
      : [{ field: fieldUnder('/tags', name), message: `must be text of one line, 1 to ${maxTagBytes} bytes` }],
  ),
];

export const tagNameErrors = (field: string, given: Tags): FieldErrors =>
  Object.keys(given).flatMap((name) =>
    isTagName(name)
      ? []
      : [{ field: fieldUnder(field, name), message: 'must have a name of 1 to 64 letters, digits, `_`, `.` and `-`' }],
  );
