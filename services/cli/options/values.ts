import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseExact } from '#lib/exact-json';
import type { HeaderValues } from '#lib/signatures';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';

/** The whole number of an option; `otherwise` if the option is absent. */
export function readWholeNumber<Otherwise extends number | undefined>(
  option: string,
  text: string | undefined,
  { min, max, otherwise }: { min: number; max: number; otherwise: Otherwise },
): number | Otherwise {
  if (text === undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usageFailure(`--${option} must be a whole number from ${min} to ${max}, not ${text}`);
}

/** `--count` of what runs until it is ended. */
export const readCount = (text: string | undefined): number =>
  readWholeNumber('count', text, { min: 1, max: 1e15, otherwise: Infinity });

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
export const omitAbsent = <T = string>(fields: Readonly<Record<string, T | undefined>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, T] => entry[1] !== undefined));

/** As the parameters of a request: lists repeat theirs, absent ones are left out. */
export const queryOf = (fields: Readonly<Record<string, string | readonly string[] | undefined>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value = []]) => [value].flat().map((one): [string, string] => [name, one])),
  );

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time for the API, which validates it; an age counts back from now. */
export function readTime(option: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usageFailure(`--${option} must be a time or an age such as 12h, not ${text}`);
  return new Date(Math.max(0, nowMs - Number(count) * (unitMs[unit] ?? 0))).toISOString();
}

export const timeForms = '2026-01-31T09:30:00Z, or an age such as 90m, 12h, 3d';

/** `--since` and `--until`. */
export const readTimes = (
  { since, until }: { since: string | undefined; until: string | undefined },
  nowMs: number,
) => ({
  since: readTime('since', since, nowMs),
  until: readTime('until', until, nowMs),
});

/** A time for the API, which validates it; a duration counts from now. */
export function readFutureTime(option: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usageFailure(`--${option} must be a time or a duration such as 12h, not ${text}`);
  return new Date(nowMs + Number(count) * (unitMs[unit] ?? 0)).toISOString();
}

export const futureTimeForms = '2026-01-31T09:30:00Z, or a duration from now such as 90m, 12h, 3d';

const day = 24 * 3_600_000;

/** Milliseconds of `200ms`, `1.5s` or `2m`; of a day at most. */
export function readDuration(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms <= day) return ms;
  throw usageFailure(`--${option} must be a time such as 200ms, 1.5s or 2m, not ${text}`);
}

/** `-` is the standard input. @throws CommandFailure if the file can't be read */
export async function readTextFile({ process }: Context, option: string, file: string): Promise<string> {
  try {
    return (await (file === '-' ? buffer(process.stdin) : readFile(file))).toString('utf8');
  } catch (error) {
    throw usageFailure(`--${option}: ${(error as Error).message}`);
  }
}

/** @throws CommandFailure if the text is not JSON */
export function readJson(option: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseExact(text, 'all');
  } catch {
    throw usageFailure(`--${option} is not JSON: ${text.slice(0, 100)}`);
  }
}

/** Undefined where the option is. @throws CommandFailure if the file can't be read, or holds no JSON */
export const readJsonFile = async (context: Context, option: string, file: string | undefined): Promise<unknown> =>
  file === undefined ? undefined : readJson(option, await readTextFile(context, option, file));

/**
 * The exact bytes of `--body-file`; `-` is the standard input.
 *
 * @throws CommandFailure where the option is missing, or its file can't be read
 */
export async function readBody({ process }: Context, file: string | undefined): Promise<Buffer> {
  if (file === undefined) throw usageFailure('missing --body-file');
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageFailure(`--body-file: ${code === 'ENOENT' ? `no such file: ${file}` : message}`);
  }
}

/** In the ingress's form: a repeated name has both values, so that repetition is noticed. */
export function collectHeaders(given: readonly (readonly [name: string, value: string])[]): HeaderValues {
  const headers = Map.groupBy(given, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...headers].map(([name, lines]) => {
      const values = lines.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
