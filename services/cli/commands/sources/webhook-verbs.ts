/** Verbs about single webhooks of a source: is this one valid, and what does a valid one look like. */
import { apiVerb } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { readBody } from '../../options/read-body.ts';
import { omitAbsent, readHeaders } from '../../options/read-values.ts';
import { describe } from '../../output/print.ts';
import { list, text } from '../../verb.ts';

const resources = 'sources';

interface Verification extends Record<string, unknown> {
  verified: boolean;
}

interface Sample {
  curl: string;
}

export const webhookVerbs = {
  verify: apiVerb({
    summary: 'Verify a webhook as a source does, and say what is wrong',
    description:
      'Verifies a webhook with the settings and secrets of a source: the step that fails, the answer of the ingress, and what to do. Nothing is received. Exits 1 if the webhook is not valid.',
    resources,
    argument: 'id',
    options: {
      header: list("'Name: value'", 'a header of the request'),
      'body-file': text('FILE', 'the exact bytes of the body; - reads the standard input'),
      query: text('TEXT', 'the query of the URL, with its question mark'),
      address: text('IP', 'the address of the sender'),
    },
    async call(api, values, { id }, context) {
      const headers = Map.groupBy(readHeaders(values.header), ([name]) => name);
      const body = {
        headers: Object.fromEntries([...headers].map(([name, lines]) => [name, lines.map(([, value]) => value)])),
        body: (await readBody(context, values['body-file'])).toString('base64'),
        body_encoding: 'base64',
        ...omitAbsent({ query: values.query, address: values.address }),
      };
      return api.ask<Verification>('POST', pathOf('sources', id, 'verify'), { body });
    },
    show: (verification, screen) => describe(verification, screen),
    exitCode: ({ verified }) => (verified ? 0 : 1),
  }),
  sample: apiVerb({
    summary: 'Print a signed sample webhook, as a curl command',
    description:
      'Signs a sample webhook with the secret of a source and prints the command that sends it. Its timestamp is now: send it soon. --json prints its headers and its body.',
    resources,
    argument: 'id',
    options: { 'body-file': text('FILE', 'the body to sign (default: a sample); - reads the standard input') },
    async call(api, { 'body-file': file }, { id }, context) {
      const body =
        file === undefined ? {} : { body: (await readBody(context, file)).toString('base64'), body_encoding: 'base64' };
      return api.ask<Sample & Record<string, unknown>>('POST', pathOf('sources', id, 'sample'), { body });
    },
    show: ({ curl }) => curl,
  }),
};
