import type { Client } from '#client';
import type { Context } from '../context.ts';
import { readLimit, readWholeNumber } from '../options/values.ts';
import { describe, print, printable, type Screen } from '../output/print.ts';
import { type OptionSpecs, text, type Values, type Verb, verb, type VerbDefinition } from '../verb.ts';
import { connect } from './api.ts';

/** Verbs that call the API, print its answer, and end. */

interface ApiVerbDefinition<
  Options extends OptionSpecs,
  Argument extends string,
  Answer extends object,
  Given,
> extends VerbDefinition<Options, Argument> {
  call(api: Client, values: Given, given: Readonly<Record<Argument, string>>, context: Context): Promise<Answer>;
  /** Formats the answer for people; default: a line per field. `--json` prints it unchanged. */
  show?(answer: Answer, screen: Screen): string;
  /** Sentences for the standard error, once the answer is printed. */
  warn?(answer: Answer, api: Client): Promise<readonly string[]>;
  /** Once the answer is printed for people. */
  afterwards?(answer: Answer, context: Context): Promise<void>;
  /** 0 by default. */
  exitCode?(answer: Answer): number;
}

interface EndDefinition extends Pick<Verb, 'summary' | 'description'> {
  /** The field that says it. */
  field: string;
  /** In a sentence after the id; default: `is`, and the field. */
  words?: string;
  call(api: Client, given: { params: { id: string } }): Promise<unknown>;
}

const month = 30 * 24 * 3600;

/** The kinds of verbs about some resources. @param resources their name in the plural, for the help of `--tenant` */
export function apiVerbs(resources: string) {
  const tenantOption = { tenant: text('NAME', `the tenant of the ${resources} (default: default)`) };

  function apiVerb<
    Answer extends object,
    const Options extends OptionSpecs = Readonly<Record<never, never>>,
    const Argument extends string = never,
  >(definition: ApiVerbDefinition<Options, Argument, Answer, Values<Options>>): Verb {
    const { call, show, warn, afterwards, exitCode } = definition;
    return verb<Options & typeof tenantOption, Argument>({
      ...definition,
      options: { ...definition.options, ...tenantOption } as Options & typeof tenantOption,
      async run(values, given, context) {
        const { tenant, json } = values as Values<typeof tenantOption>;
        const api = connect(context, tenant);
        const answer = await call(api, values, given, context);
        print(context, answer, json, show ?? describeAnswer);
        for (const warning of (await warn?.(answer, api)) ?? [])
          context.process.stderr.write(`warning: ${printable(warning)}\n`);
        if (!json) await afterwards?.(answer, context);
        return exitCode?.(answer) ?? 0;
      },
    });
  }

  return {
    tenantOption,
    apiVerb,
    /** A list with the option `--limit`, which its call gets as `most`. @param limits of that option */
    listVerb<
      Answer extends object,
      const Options extends OptionSpecs = Readonly<Record<never, never>>,
      const Argument extends string = never,
    >({
      limits,
      call,
      ...definition
    }: ApiVerbDefinition<Options, Argument, Answer, Values<Options> & { most: number }> & {
      limits?: { otherwise: number; max?: number };
    }): Verb {
      const limit = text('N', `list at most this many (default: ${limits?.otherwise ?? 'all'})`);
      return apiVerb<Answer, Options & { limit: typeof limit }, Argument>({
        ...definition,
        options: { ...definition.options, limit } as Options & { limit: typeof limit },
        call(api, values, given, context) {
          const { limit: most } = values as Values<{ limit: typeof limit }>;
          return call(api, { ...values, most: readLimit(most, limits) }, given, context);
        },
      });
    },
    /** One that ends the thing with the id for good. */
    endVerb: ({ field, words = `is ${field}`, call, ...definition }: EndDefinition): Verb =>
      apiVerb({
        ...definition,
        argument: 'id',
        async call(api, _values, params) {
          await call(api, { params });
          return { id: params.id, [field]: true };
        },
        show: ({ id }) => `${String(id)} ${words}`,
      }),
  };
}

const describeAnswer = (answer: object, screen: Screen): string =>
  describe(answer as Readonly<Record<string, unknown>>, screen);

/** The verb that rotates the secret of a source or an endpoint. */
export const rotateSecretVerb = (
  resources: 'sources' | 'endpoints',
  { secretHelp, ...definition }: { description: string; secretHelp: string },
): Verb =>
  apiVerbs(resources).apiVerb({
    summary: 'Rotate the secret; the old one stays valid for a while',
    ...definition,
    argument: 'id',
    options: {
      'overlap-seconds': text('N', 'how long the old secret stays valid (default: 86400); 0 if it has leaked'),
      secret: text('TEXT', secretHelp),
    },
    call: (api, { secret, 'overlap-seconds': overlap }, params) => {
      const overlapSeconds = readWholeNumber('overlap-seconds', overlap, { min: 0, max: month, otherwise: undefined });
      return api.call(`POST /v1/${resources}/:id/rotate-secret`, {
        params,
        body: { secret, overlap_seconds: overlapSeconds },
      });
    },
  });
