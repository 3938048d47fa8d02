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
