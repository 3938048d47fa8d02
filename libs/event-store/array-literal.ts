import { AppError } from '#lib/runtime';

/** Characters that are escaped within quotes. */
const special = /["\\]/g;
const isSpecial = /["\\]/;

/**
 * An array of texts, numbers, booleans, bytes or nulls as Postgres reads it (its manual, 8.15.6). Every text is quoted, since a bare one could be
 * taken for NULL or a brace.
 */
export function arrayLiteral(values: readonly unknown[]): string {
  let text = '{';
  for (const value of values) text += text.length === 1 ? elementOf(value) : `,${elementOf(value)}`;
  return `${text}}`;
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return `"${isSpecial.test(value) ? value.replace(special, '\\$&') : value}"`;
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new AppError('bug', `a column has a ${typeof value}`);
}
