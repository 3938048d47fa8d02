/** Pieces of request schemas; a description completes the sentence "must be …" in an error. */

export const name = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'text of one line',
} as const;

export const description = {
  type: 'string',
  maxLength: 1_000,
  pattern: '^[^\\u0000]*$',
  description: 'text',
} as const;

/** As senders and receivers already have them: any text, of which nothing is cut off. */
export const secret = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'text of one line',
} as const;

/** Where an identifier or a type is looked for, in this order. */
export const locators = {
  type: 'array',
  minItems: 1,
  maxItems: 10,
  items: {
    type: 'string',
    maxLength: 500,
    pattern: "^(?:header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|(?:/(?:[^~/\\u0000-\\u001f]|~[01])*)+)$",
    description: '`header:Name` or a JSON pointer such as /data/id',
  },
} as const;

export const headerName = {
  type: 'string',
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

export const wholeNumber = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

export const seconds = (minimum: number, maximum: number) => ({ type: 'number', minimum, maximum }) as const;

/** A filter of any text finds what has it, if there is any; only what no text column can hold is refused. */
export const filterText = {
  type: 'string',
  maxLength: 300,
  pattern: '^[^\\u0000]*$',
  description: 'text',
} as const;
