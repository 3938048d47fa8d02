/** A verb of the command line: its help, its options with their types, and the call that it makes. */
import type { Context } from './context.ts';

/** `text` takes a value, `list` takes one each time it is given, `flag` takes none. */
export interface OptionSpec {
  kind: 'text' | 'list' | 'flag';
  placeholder: string;
  help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** @param placeholder names the value in the help: `--limit <N>` */
export const text = (placeholder: string, help: string) => ({ kind: 'text', placeholder, help }) as const;
export const list = (placeholder: string, help: string) =>
  ({ kind: 'list', placeholder, help: `${help}; repeatable` }) as const;
export const flag = (help: string) => ({ kind: 'flag', placeholder: '', help }) as const;

interface ValueOf {
  text: string | undefined;
  list: string[] | undefined;
  flag: boolean;
}

/** The options of one call, by name; every verb has `--json`. */
export type Values<Options extends OptionSpecs> = { [Name in keyof Options]: ValueOf[Options[Name]['kind']] } & {
  json: boolean;
};

export interface Verb {
  /** A few words for the list of verbs. */
  summary: string;
  /** For the verb's own help. */
  description: string;
  argument?: string;
  /** The call may leave it out: it is empty then. */
  isArgumentOptional: boolean;
  options: OptionSpecs;
  /** Resolves with the exit code. */
  run(values: Values<OptionSpecs>, given: Readonly<Record<string, string>>, context: Context): Promise<number>;
}

interface VerbGroup {
  summary: string;
  verbs: Readonly<Record<string, Verb>>;
}

/** Every verb by its name: `hookline setup`, or in a group, `hookline sources list`. */
export type VerbTable = Readonly<Record<string, Verb | VerbGroup>>;

export interface VerbDefinition<Options extends OptionSpecs, Argument extends string> {
  summary: string;
  /** Paragraphs of one line each; the help wraps them. The summary by default. */
  description?: string;
  /** The one argument that the verb must have. */
  argument?: Argument;
  isArgumentOptional?: boolean;
  options?: Options;
}

/** Defines a verb; the types of a call follow from its options and argument. */
export const verb = <
  const Options extends OptionSpecs = Readonly<Record<never, never>>,
  const Argument extends string = never,
>(
  definition: VerbDefinition<Options, Argument> & {
    run(values: Values<Options>, given: Readonly<Record<Argument, string>>, context: Context): Promise<number>;
  },
): Verb => ({ description: `${definition.summary}.`, isArgumentOptional: false, options: {}, ...definition });
