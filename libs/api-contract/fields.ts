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

/** Existing secrets of senders and receivers: any text, untrimmed. */
export const secret = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'text of one line',
} as const;

export const locator = {
  type: 'string',
  maxLength: 500,
  pattern: "^(?:header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|(?:/(?:[^~/\\u0000-\\u001f]|~[01])*)+)$",
  description: '`header:Name` or a JSON pointer such as /data/id',
} as const;

/** Places to look in, in this order; a single place may be given without an array. */
export const locators = {
  if: { type: 'string' },
  then: locator,
  else: { type: 'array', minItems: 1, maxItems: 10, items: locator },
} as const;

/** The same for an identifier: a place that is a list joins the values of its places. */
export const identifierPlaces = {
  if: { type: 'string' },
  then: locator,
  else: {
    type: 'array',
    minItems: 1,
    maxItems: 10,
    items: {
      if: { type: 'string' },
      then: locator,
      else: { type: 'array', minItems: 2, maxItems: 10, items: locator },
    },
  },
} as const;

export const headerName = {
  type: 'string',
  maxLength: 100,
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$",
  description: 'the name of an HTTP header',
} as const;

/** A text to search for in others. */
export const searchText = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: 'text',
} as const;

/** Deliveries and records in a second, at which a replay sends. */
export const replayRate = { type: 'number', minimum: 0.01, maximum: 10_000 } as const;
