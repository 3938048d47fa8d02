import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { usageFailure } from './command.ts';

/** Which every command has. */
const commonOptions = { json: { type: 'boolean', default: false } } as const;

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options & typeof commonOptions }>
>['values'];

/**
 * The options of a call, and the arguments that it must have, by the names that the help gives them.
 *
 * @throws CommandFailure for an option that the command does not have, one without its value, and too few or too many arguments
 */
export function readOptions<const Options extends ParseArgsOptionsConfig, const Name extends string = never>(
  args: readonly string[],
  options: Options,
  names: readonly Name[] = [],
): { values: Values<Options>; given: Record<Name, string> } {
  const { values, positionals } = parse(args, { ...commonOptions, ...options });
  const missing = names[positionals.length];
  if (missing !== undefined) throw usageFailure(`<${missing}> is missing`);
  const unexpected = positionals[names.length];
  if (unexpected !== undefined) throw usageFailure(`what is \`${unexpected}\`? It is one argument too many`);
  return {
    values: values as Values<Options>,
    given: Object.fromEntries(names.map((name, index) => [name, positionals[index]])) as Record<Name, string>,
  };
}

function parse(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Node's advice about `--` would be put before every mistyped option.
    throw usageFailure((error as Error).message.replace(/\. To specify [\s\S]*$/, ''));
  }
}

/** A whole number of an option; its default where the option is absent. */
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

/** `Name: value`, as often as it is given; a name that comes twice is sent with both values. */
export function readHeaders(texts: readonly string[] = []): [name: string, value: string][] {
  return texts.map((text) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw usageFailure(`--header must be 'Name: value', not ${text}`);
    return [name, value];
  });
}

/** Of these fields, those that the call has given. */
export const omitAbsent = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
