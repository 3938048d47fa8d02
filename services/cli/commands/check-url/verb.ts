import { list, verb } from '../../verb.ts';

export const checkUrl = verb({
  summary: 'Check whether an endpoint may have a URL',
  description:
    'Prints `allowed` and exits 0, or `blocked: <reason>` and exits 1. Wrong usage exits 2. Checks by the defaults, with plain http allowed, whatever the settings of this stack are.',
  argument: 'url',
  options: {
    resolve: list(
      'ADDRESS,…',
      'the addresses of the host name, in place of a DNS query; each is checked. An IP literal in the URL is never looked up',
    ),
  },
  run: async (values, { url }, context) => (await import('./check-url.ts')).checkEndpointUrl(url, values, context),
});
