import { isReservedHeader, isSensitiveHeader, secretMask } from '#lib/contract';
import { fieldUnder } from '../http/field-errors.ts';
import type { Read } from '../http/send-problem.ts';

type Headers = Readonly<Record<string, string>>;

const maxNameLength = 128;
/** Names and values; most servers accept 16 or 32 kB, and Hookline adds its own headers. */
const maxLength = 16 * 1024;

/** `readHeaders` checks the names, with an error for each. */
export const headers = {
  type: 'object',
  maxProperties: 50,
  additionalProperties: {
    type: 'string',
    maxLength: 4_096,
    pattern: '^(?:[!-~](?:[\\t -~]*[!-~])?)?$',
    description: 'printable ASCII, with spaces and tabs only inside',
  },
} as const;

/** @param before a header that comes back masked, as it was shown, keeps its value */
export function readHeaders(given: Headers, before: Headers = {}): Read<Record<string, string>> {
  const known = byLowerCase(before);
  const seen = new Set<string>();
  const problemOf = (name: string, value: string): string | undefined => {
    const lower = name.toLowerCase();
    const isSecond = seen.has(lower);
    seen.add(lower);
    if (isReservedHeader(name)) return "is Hookline's own";
    if (!tokens.test(name)) return 'is not the name of an HTTP header';
    if (name.length > maxNameLength) return `must not have a name longer than ${maxNameLength} characters`;
    if (isSecond) return 'is given twice: header names are case-insensitive';
    if (!isMasked(name, value)) return undefined;
    return known.has(lower) ? undefined : 'is masked, and no stored value exists: send the value';
  };
  const errors = Object.entries(given).flatMap(([name, value]) => {
    const message = problemOf(name, value);
    return message === undefined ? [] : [{ field: fieldUnder('/headers', name), message }];
  });
  if (errors.length > 0) return { errors };
  const read = Object.entries(given).map(([name, value]) => {
    const kept = isMasked(name, value) ? known.get(name.toLowerCase()) : undefined;
    return [name, kept ?? value] as const;
  });
  const length = read.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > maxLength)
    return { errors: [{ field: '/headers', message: `must not be longer than ${maxLength} characters in all` }] };
  return { read: Object.fromEntries(read) };
}

/** Merges headers as RFC 7396 says, but by names without case: `null` for `x-key` removes `X-Key`. */
export function mergeHeaders(before: Headers, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const named = new Set(Object.keys(patch).map((name) => name.toLowerCase()));
  return Object.fromEntries([
    ...Object.entries(before).filter(([name]) => !named.has(name.toLowerCase())),
    ...Object.entries(patch).filter(([, value]) => value !== null),
  ]);
}

const tokens = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const byLowerCase = (all: Headers): Map<string, string> =>
  new Map(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));

const isMasked = (name: string, value: string): boolean => value === secretMask && isSensitiveHeader(name);
