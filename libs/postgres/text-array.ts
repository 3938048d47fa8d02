import pg from 'pg';

/** The type `text[]`. */
export const textArray = 1009;

const parseAny = (pg.types.getTypeParser as (oid: number) => (text: string) => (string | null)[])(textArray);

/**
 * Reads the text of a `text[]`. pg's own parser goes from letter to letter, for milliseconds where an endpoint has a hundred event types; most
 * arrays need only be divided. An element with a comma, a brace or white space in it is in quotes, and null is NULL (PostgreSQL, 8.15.6).
 */
export function parseTextArray(text: string): (string | null)[] {
  if (text === '{}') return [];
  const isPlain = !text.includes('"') && !text.includes('NULL') && text.lastIndexOf('{') === 0;
  return isPlain ? text.slice(1, -1).split(',') : parseAny(text);
}
