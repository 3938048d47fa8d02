import { scopes } from './access.ts';
import { displayName, rateLimit } from './fields.ts';
import { component, operation, page, resource } from './operation.ts';
import { pageQuery } from './paging.ts';
import {
  closedObject,
  extend,
  id,
  list,
  nullable,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textIn,
  time,
} from './schema.ts';

const apiKey = component(
  'ApiKey',
  object({
    id: id('key'),
    name: text,
    scopes: list(oneOf(scopes)),
    rate_limit: saying('rate limit of this key; null: the default', rateLimit),
    created_at: time,
    last_used_at: saying('accurate to a minute', nullable(time)),
  }),
);

export type ApiKey = Static<typeof apiKey.schema>;

const apiKeyWithText = component(
  'ApiKeyWithText',
  extend(apiKey.schema, { key: saying('shown only in this response', text) }),
);

/** Scopes that a key or session is given. */
export const givenScopes = list(textIn(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true });

export const createApiKey = operation({
  method: 'POST',
  path: '/v1/api-keys',
  tag: 'API keys',
  id: 'createApiKey',
  summary: 'Create an API key',
  access: { scope: 'admin', audit: 'api_key.create', notBySession: 'make keys' },
  body: closedObject({ name: displayName, scopes: givenScopes }, { rate_limit: rateLimit }),
  example: { name: 'publisher', scopes: ['publish'] },
  answers: {
    201: {
      is: 'The API key; the only response that contains the key itself',
      body: apiKeyWithText.ref,
      headers: ['Location', 'ETag'],
    },
  },
  errors: ['limit_reached'],
});

export const listApiKeys = operation({
  method: 'GET',
  path: '/v1/api-keys',
  tag: 'API keys',
  id: 'listApiKeys',
  summary: 'List API keys, oldest first',
  access: { scope: 'admin' },
  query: pageQuery,
  answers: { 200: page(apiKey, 'API keys that are not revoked') },
});

export const getApiKey = operation({
  method: 'GET',
  path: '/v1/api-keys/:id',
  tag: 'API keys',
  id: 'getApiKey',
  summary: 'Read an API key',
  access: { scope: 'admin' },
  answers: { 200: { is: 'The API key, without the key itself', body: apiKey.ref, headers: ['ETag'] } },
  errors: ['gone'],
});

export const deleteApiKey = operation({
  method: 'DELETE',
  path: '/v1/api-keys/:id',
  tag: 'API keys',
  id: 'deleteApiKey',
  summary: 'Revoke an API key; this takes effect within seconds',
  access: { scope: 'admin', audit: 'api_key.delete' },
  answers: { 204: { is: 'The API key is revoked' } },
  conditional: true,
});

export const apiKeys = resource({
  tag: 'API keys',
  description: 'Credentials for the API, with scopes. A key has access to one tenant.',
  components: [apiKey, apiKeyWithText],
  operations: [createApiKey, listApiKeys, getApiKey, deleteApiKey],
});
