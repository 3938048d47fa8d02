import { schemeOptions, secretOption } from '../../options/scheme-options.ts';
import { list, text, verb } from '../../verb.ts';

export const send = verb({
  summary: 'Send signed webhooks to a source, and retry until they are accepted',
  description:
    'Sends a webhook as the source’s provider would, and prints its receipt. 429, 503, 504 and no answer are retried with the same bytes and id, after a random wait that doubles and after Retry-After.',
  argument: 'source',
  options: {
    ...secretOption('the secret of the source'),
    body: text('TEXT', 'the body (default: a small JSON object, new for each webhook)'),
    header: list("'Name: value'", 'a header to send; Content-Type is application/json by default'),
    id: text('ID', 'the id of the webhook, in the headers where the source looks for it (default: a new one)'),
    count: text('N', 'send this many webhooks, one after the other (default: 1)'),
    'max-attempts': text('N', 'attempts for each webhook (default: 8)'),
    ...schemeOptions,
    scheme: text('NAME', 'sign by this scheme and its options, without asking the API for those of the source'),
    tenant: text('NAME', 'the tenant of the source (default: default)'),
  },
  run: async (values, given, context) => (await import('./send.ts')).send(values, given, context),
});
