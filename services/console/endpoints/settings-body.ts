import { parseExact } from '#lib/exact-json';
import type { FieldError } from '../api-calls/console-api.ts';
import { fieldNames, fieldOf, type FormField, type FormValues, isSameValue, linesOf } from './form.ts';

/** The body of a request from the fields of the form. The API validates all that it can: a number that is none is sent as it was entered. */

type Body = Record<string, unknown>;
export type ReadBody = { ok: true; body: Body } | { ok: false; errors: readonly FieldError[] };

/** Without what is empty: it has its default. */
export function createBody(values: FormValues): ReadBody {
  const errors: FieldError[] = [];
  const body = Object.fromEntries(
    settings.flatMap((setting) => {
      const value = valueOf(setting, values, errors);
      return value === null ? [] : [[setting, value]];
    }),
  );
  // A new endpoint has nothing to reset.
  if (body['retry'] !== undefined) body['retry'] = withoutNulls(body['retry'] as Body);
  return done(body, errors);
}

/**
 * A merge patch of the settings that differ, and of no others: what was not touched is not sent, masked values least of all. Emptied ones are
 * null, which is their default. The headers to pass, which the form shows whole, are given again with another origin, as the API asks.
 */
export function patchBody(values: FormValues, before: FormValues): ReadBody {
  const errors: FieldError[] = [];
  const body = Object.fromEntries(
    settings
      .filter(
        (setting) => isChanged(setting, values, before) || (setting === 'pass_headers' && mayMove(values, before)),
      )
      .map((setting) => {
        const value = valueOf(setting, values, errors);
        return [setting, setting === 'headers' ? headersPatch(value, before) : value];
      }),
  );
  return done(body, errors);
}

/** Whether requests may go to others than before. */
const mayMove = (values: FormValues, before: FormValues): boolean =>
  values.pass_headers !== '' &&
  (URL.parse(values.url)?.origin !== URL.parse(before.url)?.origin || isChanged('proxy', values, before));

const done = (body: Body, errors: readonly FieldError[]): ReadBody =>
  errors.length > 0 ? { ok: false, errors } : { ok: true, body };

const settingOf = (name: FormField): string => fieldOf(name).group ?? name;

/** Settings of the API, each of one or more fields. */
const settings = [...new Set(fieldNames.map(settingOf))];
const membersOf = (setting: string): readonly FormField[] => fieldNames.filter((name) => settingOf(name) === setting);

const isChanged = (setting: string, values: FormValues, before: FormValues): boolean =>
  membersOf(setting).some((name) => !isSameValue(name, values[name], before[name]));

/** Null: its default. */
function valueOf(setting: string, values: FormValues, errors: FieldError[]): unknown {
  switch (setting) {
    case 'filter':
      return filterOf(values.filter, errors);
    case 'headers':
      return headersOf(values.headers, errors);
    case 'client_certificate':
      return certificateOf(values, errors);
    case 'rate_limit':
      return filled({ per_second: number(values['rate_limit/per_second']), burst: number(values['rate_limit/burst']) });
    case 'retry':
      return retryOf(values);
    default:
      return plainValue(setting as FormField, values);
  }
}

function plainValue(name: FormField, values: FormValues): unknown {
  const text = values[name];
  if (text === '') return null;
  switch (fieldOf(name).kind) {
    case 'lines':
      return linesOf(text);
    case 'flag':
      return true;
    case 'number':
      return number(text);
    case undefined:
      return text;
  }
}

/** A text that is no number goes to the API as it is, which says so. */
const number = (text: string): number | string | null =>
  text === '' ? null : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

function filterOf(text: string, errors: FieldError[]): unknown {
  if (text === '') return null;
  try {
    return parseExact(text, 'all');
  } catch (error) {
    errors.push({ field: '/filter', message: `is not JSON: ${(error as Error).message}` });
    return null;
  }
}

function certificateOf(values: FormValues, errors: FieldError[]): Body | null {
  const given = filled({
    certificate: values['client_certificate/certificate'] || null,
    private_key: values['client_certificate/private_key'] || null,
  });
  if (given !== null && values.remove_certificate !== '')
    errors.push({
      field: '/client_certificate/certificate',
      message: 'is either removed or replaced: leave “Remove it” unchecked, or these fields empty',
    });
  return given;
}

/** `Name: value`, a line each. */
function headersOf(text: string, errors: FieldError[]): Body | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const read = new Map<string, string>();
  lines.forEach((line, index) => {
    const [, name, value = ''] = /^\s*([^:\s]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined)
      errors.push({ field: '/headers', message: `line ${index + 1} must be a name, a colon and a value` });
    else if ([...read.keys()].some((other) => other.toLowerCase() === name.toLowerCase()))
      errors.push({ field: '/headers', message: `${name} is given twice` });
    else read.set(name, value.trim());
  });
  return read.size === 0 ? null : Object.fromEntries(read);
}

/** Headers are merged by name: one that is gone must be named, with null. */
function headersPatch(value: unknown, before: FormValues): unknown {
  if (value === null) return null;
  const now = value as Body;
  const kept = Object.keys(now).map((name) => name.toLowerCase());
  const names = Object.keys(headersOf(before.headers, []) ?? {});
  return {
    ...Object.fromEntries(names.filter((name) => !kept.includes(name.toLowerCase())).map((name) => [name, null])),
    ...now,
  };
}

/** Both forms are named: the members of the other one are reset. */
function retryOf(values: FormValues): Body | null {
  const backoff = {
    base_seconds: number(values['retry/base_seconds']),
    cap_seconds: number(values['retry/cap_seconds']),
    window_seconds: number(values['retry/window_seconds']),
    max_attempts: number(values['retry/max_attempts']),
  };
  const waits = values['retry/schedule'].split(/[\s,]+/).filter((wait) => wait !== '');
  const retry =
    values.retry_kind === 'schedule'
      ? {
          ...Object.fromEntries(Object.keys(backoff).map((name) => [name, null])),
          schedule: waits.map(number),
          jitter: number(values['retry/jitter']),
        }
      : { ...backoff, schedule: null, jitter: null };
  return Object.values(retry).every((value) => value === null) ? null : retry;
}

/** The members that are entered; null without any. */
function filled(given: Body): Body | null {
  const entered = withoutNulls(given);
  return Object.keys(entered).length === 0 ? null : entered;
}

const withoutNulls = (given: Body): Body =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
