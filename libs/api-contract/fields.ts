/** Fields of requests that several resources have. A description completes the sentence "must be …" in an error. */
import * as t from './schema.ts';

const oneLine = { pattern: '^[^\\u0000-\\u001f\\u007f]*$', description: 'text of one line' };
/** Postgres stores any text without a NUL. */
const anyText = { pattern: '^[^\\u0000]*$', description: 'text' };

export const oneLineOf = (minLength: number, maxLength: number) => t.textOf({ minLength, maxLength, ...oneLine });
export const anyTextOf = (maxLength: number) => t.textOf({ maxLength, ...anyText });

/** The name that people give a resource. */
export const displayName = oneLineOf(1, 200);

export const wholeNumber = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;
export const decimal = (minimum: number, maximum: number) => ({ type: 'number', minimum, maximum }) as const;

/** An RFC 3339 date-time, whose handler reads it. */
export const dateTime = t.textOf({ maxLength: 64 });

/** Any text may be a filter. */
export const filterText = anyTextOf(300);

/** A rate per second, with a burst. */
export const rateLimit = t.closedObject({ per_second: decimal(0.001, 1_000_000), burst: wholeNumber(1, 1_000_000) });

/** Existing secrets of senders and receivers: any text, untrimmed. */
export const secret = oneLineOf(1, 512);

export const locator = t.textOf({
  maxLength: 500,
  pattern: "^(?:header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|(?:/(?:[^~/\\u0000-\\u001f]|~[01])*)+)$",
  description: '`header:Name` or a JSON pointer such as /data/id',
});

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

export const headerName = t.textOf({
  maxLength: 100,
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$",
  description: 'the name of an HTTP header',
});

/** A text to search for in others. */
export const searchText = t.textOf({ minLength: 1, maxLength: 200, ...anyText });

/** Deliveries and records in a second, at which a replay sends. */
export const replayRate = decimal(0.01, 10_000);
