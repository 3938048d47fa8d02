import { usageFailure } from '../command-failure.ts';

/** The whole number of an option; `otherwise` if the option is absent. */
export function readWholeNumber(
  option: string,
  text: string | undefined,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usageFailure(`--${option} must be a whole number from ${min} to ${max}, not ${text}`);
}

const most = 1_000_000;

/** `--limit` of a list. */
export const readLimit = (text: string | undefined, { max = most, otherwise = most } = {}): number =>
  readWholeNumber('limit', text, { min: 1, max, otherwise });

/** `Name: value`, repeatable; a repeated name is sent with both values. */
export function readHeaders(texts: readonly string[] = []): [name: string, value: string][] {
  return texts.map((text) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw usageFailure(`--header must be 'Name: value', not ${text}`);
    return [name, value];
  });
}

/** The fields that the call has given. */
export const omitAbsent = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
