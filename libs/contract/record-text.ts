/**
 * Rules for texts in a record that end up in indexed columns, record keys and request headers: all of these must be able to take them.
 * Hookline writes nothing else; a record that breaks a rule was written by somebody else, and would fail at its next use, for ever.
 */

const maxNameLength = 256;
const name = /^[!-~](?:[ -~]*[!-~])?$/;
/** More than any server takes of a header, and little enough that what is written about a send still fits its topic. */
const maxTextBytes = 32 * 1024;
/** A code unit of a text has no more bytes in UTF-8. */
const maxBytesPerUnit = 3;

/** An id, or a tenant: printable ASCII without blanks around it, since it becomes a header too. */
export const isName = (text: string): boolean => text.length <= maxNameLength && name.test(text);

/** Any characters, up to a length. */
export const isShortText = (text: string): boolean =>
  text.length * maxBytesPerUnit <= maxTextBytes || Buffer.byteLength(text) <= maxTextBytes;

/** Microseconds since the epoch that a double holds exactly: until the year 2255. */
export const isInstant = (micros: number): boolean => Number.isSafeInteger(micros) && micros >= 0;

const maxInt = 2 ** 31 - 1;

/** The range of `int` in Avro and Postgres. */
export const isCount = (number: number): boolean => Number.isInteger(number) && number >= 0 && number <= maxInt;
