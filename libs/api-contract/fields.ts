/** Fields of requests that several resources have. A description completes the sentence "must be …" in an error. */

/** The name that people give a resource. */
export const displayName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'text of one line',
} as const;

export const wholeNumber = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

/** An RFC 3339 date-time, whose handler reads it. */
export const dateTime = { type: 'string', maxLength: 64 } as const;

/** Any text may be a filter; only text that Postgres can't store is refused. */
export const filterText = {
  type: 'string',
  maxLength: 300,
  pattern: '^[^\\u0000]*$',
  description: 'text',
} as const;

/** A rate per second, with a burst. */
export const rateLimit = {
  type: 'object',
  additionalProperties: false,
  required: ['per_second', 'burst'],
  properties: { per_second: { type: 'number', minimum: 0.001, maximum: 1_000_000 }, burst: wholeNumber(1, 1_000_000) },
} as const;
