import type { Client } from '#client';
import type { Context } from '../context.ts';
import { omitAbsent, readWholeNumber } from '../options/values.ts';
import { describe, print, printable, type Screen } from '../output/print.ts';
import { type OptionSpecs, text, type Values, type Verb, verb, type VerbDefinition } from '../verb.ts';
import { connect } from './api.ts';

/** Verbs that call the API, print its answer, and end. */

/** @param resources the resources of the verb, in the plural */
export const tenantOption = (resources: string) => ({
  tenant: text('NAME', `the tenant of the ${resources} (default: default)`),
});

type WithTenant<Options> = Options & ReturnType<typeof tenantOption>;

interface ApiVerbDefinition<
  Options extends OptionSpecs,
  Argument extends string,
  Answer extends object,
> extends VerbDefinition<Options, Argument> {
  /** For the help of `--tenant`. */
  resources: string;
  call(
    api: Client,
    values: Values<WithTenant<Options>>,
    given: Readonly<Record<Argument, string>>,
    context: Context,
  ): Promise<Answer>;
  /** Formats the answer for people; default: a line per field. `--json` prints it unchanged. */
  show?(answer: Answer, screen: Screen): string;
  /** Sentences for the standard error, once the answer is printed. */
  warn?(answer: Answer, api: Client): Promise<readonly string[]>;
  /** Once the answer is printed for people. */
  afterwards?(answer: Answer, context: Context): Promise<void>;
  /** 0 by default. */
  exitCode?(answer: Answer): number;
}

export function apiVerb<
  Answer extends object,
  const Options extends OptionSpecs = Readonly<Record<never, never>>,
  const Argument extends string = never,
>(definition: ApiVerbDefinition<Options, Argument, Answer>): Verb {
  const { resources, call, show, warn, afterwards, exitCode } = definition;
  return verb<WithTenant<Options>, Argument>({
    ...definition,
    options: { ...definition.options, ...tenantOption(resources) } as WithTenant<Options>,
    async run(values, given, context) {
      const { tenant, json } = values as Values<ReturnType<typeof tenantOption>>;
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

const describeAnswer = (answer: object, screen: Screen): string =>
  describe(answer as Readonly<Record<string, unknown>>, screen);

const month = 30 * 24 * 3600;

interface Options {
  description: string;
  secretHelp: string;
}

/** The verb that rotates the secret of a source or an endpoint. */
export const rotateSecretVerb = (resources: 'sources' | 'endpoints', { description, secretHelp }: Options): Verb =>
  apiVerb({
    summary: 'Rotate the secret; the old one stays valid for a while',
    description,
    resources,
    argument: 'id',
    options: {
      'overlap-seconds': text('N', 'how long the old secret stays valid (default: 86400); 0 if it has leaked'),
      secret: text('TEXT', secretHelp),
    },
    call: (api, { secret, 'overlap-seconds': overlap }, { id }) => {
      const body = {
        ...omitAbsent({ secret }),
        ...(overlap !== undefined && {
          overlap_seconds: readWholeNumber('overlap-seconds', overlap, { min: 0, max: month, otherwise: 0 }),
        }),
      };
      return api.call(`POST /v1/${resources}/:id/rotate-secret`, { params: { id }, body });
    },
  });
