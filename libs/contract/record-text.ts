/**
 * What of a record goes on into rows with indexes, keys of other records and headers of requests, and so must be something that all of
 * these take. Hookline writes nothing else; a record that has it came another way, and would fail wherever it is used next, for ever.
 */

const maxNameLength = 256;
const name = /^[!-~](?:[ -~]*[!-~])?$/;
/** More than any server takes of a header, and little enough that what is written about a send still fits its topic. */
const maxTextBytes = 32 * 1024;

/** An id, or a tenant: printable ASCII without blanks around it, since it becomes a header too. */
export const isName = (text: string): boolean => text.length <= maxNameLength && name.test(text);

/** Of any characters, but not of any length. */
export const isShortText = (text: string): boolean => Buffer.byteLength(text) <= maxTextBytes;

/** Microseconds since the epoch that a double holds exactly: until the year 2255. */
export const isInstant = (micros: number): boolean => Number.isSafeInteger(micros) && micros >= 0;

const maxInt = 2 ** 31 - 1;

/** What Avro's and Postgres's `int` hold. */
export const isCount = (number: number): boolean => Number.isInteger(number) && number >= 0 && number <= maxInt;
