import { AppError } from '#lib/runtime';

/** One setting: its variable, its parser, and its documentation. */
export interface Field<T> {
  env: string;
  help: string;
  /** Secrets are shown as `xSet: true`. */
  secret: boolean;
  /** The default as written in the environment; undefined if the variable is required. */
  defaultText: string | undefined;
  /** The value, or the problem with the text. */
  parse(text: string): Parsed<T>;
}

type Parsed<T> = { value: T } | { problem: string };

export type Fields = Record<string, Field<unknown>>;
export type ConfigOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type Problem = string;

/** The default of a setting that is a number, as documents show it. */
export const defaultNumber = ({ defaultText }: Pick<Field<number>, 'defaultText'>): number => Number(defaultText);

interface FieldOptions {
  help: string;
  default?: string;
  secret?: boolean;
}

const field = <T>(env: string, options: FieldOptions, parse: (text: string) => Parsed<T>): Field<T> => ({
  env,
  help: options.help,
  secret: options.secret ?? false,
  defaultText: options.default,
  parse,
});

export const text = (env: string, options: FieldOptions & { pattern?: RegExp }): Field<string> =>
  field(env, options, (given): Parsed<string> =>
    options.pattern === undefined || options.pattern.test(given)
      ? { value: given }
      : { problem: `must match ${options.pattern.source}` },
  );

export const integer = (env: string, options: FieldOptions & { min: number; max: number }): Field<number> =>
  field(env, options, (given): Parsed<number> => {
    const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    return value >= options.min && value <= options.max
      ? { value }
      : { problem: `must be a whole number from ${options.min} to ${options.max}` };
  });

export const decimal = (env: string, options: FieldOptions & { min: number; max: number }): Field<number> =>
  field(env, options, (given): Parsed<number> => {
    const value = /^\d{1,9}(?:\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN;
    return value >= options.min && value <= options.max
      ? { value }
      : { problem: `must be a number from ${options.min} to ${options.max}` };
  });

export const flag = (env: string, options: FieldOptions): Field<boolean> =>
  field(env, options, (given): Parsed<boolean> => {
    if (given === 'true' || given === 'false') return { value: given === 'true' };
    return { problem: 'must be true or false' };
  });

export const oneOf = <const T extends string>(env: string, values: readonly T[], options: FieldOptions): Field<T> =>
  field(env, options, (given): Parsed<T> => {
    const value = values.find((candidate) => candidate === given);
    return value === undefined ? { problem: `must be one of ${values.join(', ')}` } : { value };
  });

export const list = (
  env: string,
  options: FieldOptions & { allowEmpty?: boolean; itemPattern?: RegExp },
): Field<readonly string[]> =>
  field(env, options, (given): Parsed<readonly string[]> => {
    const value = given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (value.length === 0 && options.allowEmpty !== true) return { problem: 'must name at least one' };
    const { itemPattern } = options;
    return itemPattern === undefined || value.every((item) => itemPattern.test(item))
      ? { value }
      : { problem: `must be a list of items that match ${itemPattern.source}` };
  });

/** Comma-separated `name=value`, as in W3C Baggage: commas and equals signs within are percent-encoded. */
export const pairs = (env: string, options: FieldOptions): Field<Readonly<Record<string, string>>> =>
  field(env, options, (given): Parsed<Readonly<Record<string, string>>> => {
    const value: [string, string][] = [];
    for (const part of given.split(',').map((text) => text.trim())) {
      if (part === '') continue;
      const [, name, encoded] = /^([^=\s]+)\s*=\s*(.*)$/.exec(part) ?? [];
      const decoded = encoded === undefined ? undefined : decode(encoded);
      if (name === undefined || decoded === undefined) return { problem: 'must be name=value, by comma' };
      value.push([name, decoded]);
    }
    return { value: Object.fromEntries(value) };
  });

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/**
 * The configuration of one process, frozen. Every problem is reported at once, relations between fields included.
 *
 * @param relations checks over the parsed values, run when each field alone is valid; each returns what is wrong
 * @throws AppError config_invalid, its message one line per problem; a secret's text is never part of it
 */
export function readConfig<F extends Fields>(
  fields: F,
  env: NodeJS.ProcessEnv,
  relations: ((config: ConfigOf<F>) => Problem[])[] = [],
): ConfigOf<F> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, definition] of Object.entries(fields)) {
    const given = env[definition.env] ?? definition.defaultText;
    if (given === undefined) {
      problems.push(`${definition.env} is not set: ${definition.help}`);
      continue;
    }
    const parsed = definition.parse(given);
    if ('problem' in parsed)
      problems.push(`${definition.env}${definition.secret ? '' : `=${withoutPassword(given)}`} ${parsed.problem}`);
    else values[name] = parsed.value;
  }
  const config = Object.freeze(values) as ConfigOf<F>;
  if (problems.length === 0) problems.push(...relations.flatMap((relation) => relation(config)));
  if (problems.length > 0) throw new AppError('config_invalid', problems.join('\n'));
  return config;
}

/** The effective values for the log at boot: secrets as `<name>Set`, passwords within URLs hidden. */
export function describeConfig<F extends Fields>(fields: F, config: ConfigOf<F>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, definition]) => {
      const value: unknown = config[name];
      if (definition.secret) return [`${name}Set`, !isEmpty(value)];
      return [name, typeof value === 'string' ? withoutPassword(value) : value];
    }),
  );
}

/** Masks a URL's password. One that was not percent-encoded may have any character, so it ends at the last `@`. */
const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/@]*):.*@/s, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***');

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
