import { apiVerbs } from '../api-calls/api-verb.ts';
import { usageFailure } from '../command-failure.ts';
import { readJson } from '../options/values.ts';
import { columns } from '../output/print.ts';
import { list, text } from '../verb.ts';

const { apiVerb, listVerb, endVerb } = apiVerbs('API keys');

export const apiKeys = {
  create: apiVerb({
    summary: 'Create an API key; shows it once',
    description:
      'Creates an API key and prints it: it is shown this once, and only its hash is stored. The key has its scopes in one tenant and none in others.',
    options: {
      name: text('NAME', 'a name for people'),
      scope: list('SCOPE', 'read, write, publish, or admin (all of them, and API keys)'),
      'rate-limit': text('JSON', '{"per_second":100,"burst":200}'),
    },
    call: (api, { name, scope: scopes, 'rate-limit': rate }) => {
      if (name === undefined) throw usageFailure('missing --name');
      if (scopes === undefined) throw usageFailure('missing --scope: read, write, publish or admin');
      const body = { name, scopes, rate_limit: readJson('rate-limit', rate) };
      return api.call('POST /v1/api-keys', { body: JSON.stringify(body) });
    },
  }),
  list: listVerb({
    summary: 'List the API keys and when each was last used',
    description: 'Lists the API keys that are not revoked, oldest first, and the minute when each was last used.',
    call: (api, { most }) => api.list('GET /v1/api-keys', most),
    show: columns('id', 'name', 'scopes', 'created_at', 'last_used_at'),
  }),
  revoke: endVerb({
    summary: 'Revoke an API key',
    description: 'Revokes an API key for good, within two seconds. Takes the id of the key, not the key.',
    field: 'revoked',
    call: (api, given) => api.call('DELETE /v1/api-keys/:id', given),
  }),
};
