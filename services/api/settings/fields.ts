/** Pieces of request schemas; a description completes the sentence "must be …" in an error. */

export const description = {
  type: 'string',
  maxLength: 1_000,
  pattern: '^[^\\u0000]*$',
  description: 'text',
} as const;

/** Seconds until a temporary resource is deleted: from a minute to 30 days. */
export const expiresIn = {
  type: 'integer',
  minimum: 60,
  maximum: 2_592_000,
  description: 'a whole number of seconds from 60 to 2592000',
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

export const eventType = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'text of one line',
} as const;

/** The type of a published event: narrower than a sender's, and no pattern of an endpoint's. Every name of an event type is one. */
export const publishedType = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^(?! )(?:[^\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Z}*]| (?! |$))*$',
  description: 'one line without asterisks, and without a blank at an end or two in a row, such as order.paid',
} as const;

/** A publisher's own name for something: part of record keys and headers, and of rows. */
export const publishersKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  description: 'text of one line',
} as const;

export const seconds = (minimum: number, maximum: number) => ({ type: 'number', minimum, maximum }) as const;

/** Deliveries and records in a second, at which a replay sends. */
export const replayRate = { type: 'number', minimum: 0.01, maximum: 10_000 } as const;
