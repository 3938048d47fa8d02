import { apiVerbs } from '../api-calls/api-verb.ts';
import { readWholeNumber } from '../options/values.ts';
import { columns } from '../output/print.ts';
import { list, text } from '../verb.ts';

const { apiVerb, listVerb, endVerb } = apiVerbs('portal links');

const hour = 3_600;
const longestHours = 7 * 24;

export const portalLinks = {
  create: apiVerb({
    summary: 'Make a link that signs a customer in to the portal, once',
    description:
      'Makes a link to the portal of the tenant and prints its code: it is shown this once. The link is redeemed once; it ends after --hours, when it is revoked, and with its key.',
    options: {
      capability: list('CAPABILITY', 'view, replay, endpoints or secrets (default: view)'),
      hours: text('N', `end after so many hours, ${longestHours} at most (default: 24)`),
      'return-url': text('URL', 'URL of the link back from the portal'),
      accent: text('COLOUR', 'colour of the portal’s header and buttons, such as #1a5fb4'),
    },
    call: (api, { capability: capabilities = ['view'], hours, 'return-url': returnUrl, accent }) => {
      const ends = { min: 1, max: longestHours, otherwise: 24 };
      const body = {
        capabilities,
        expires_in_seconds: readWholeNumber('hours', hours, ends) * hour,
        return_url: returnUrl,
        accent,
      };
      return api.call('POST /v1/portal-links', { body: JSON.stringify(body) });
    },
  }),
  list: listVerb({
    summary: 'List portal links',
    description: 'Lists portal links that are not revoked, oldest first, until 30 days after their end.',
    call: (api, { most }) => api.list('GET /v1/portal-links', most),
    show: columns('id', 'status', 'capabilities', 'created_at', 'expires_at', 'redeemed_at'),
  }),
  revoke: endVerb({
    summary: 'Revoke a portal link, and end its session',
    description: 'Revokes a portal link for good; whoever is signed in by it is signed out within two seconds.',
    field: 'revoked',
    call: (api, given) => api.call('DELETE /v1/portal-links/:id', given),
  }),
};
