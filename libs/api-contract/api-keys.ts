import { scopes } from './access.ts';
import { displayName, rateLimit } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('API keys');

const apiKey = component(
  'ApiKey',
  t.object({
    id: t.id('key'),
    name: t.text,
    scopes: t.list(t.oneOf(scopes)),
    rate_limit: t.saying('the rate of this key: its own, or the default', rateLimit),
    created_at: t.time,
    last_used_at: t.saying('accurate to a minute', t.nullable(t.time)),
  }),
);

export type ApiKey = t.Static<typeof apiKey.schema>;

const apiKeyWithText = component(
  'ApiKeyWithText',
  t.extend(apiKey.schema, { key: t.saying('shown only in this response', t.text) }),
);

/** Scopes that a key or session is given. */
export const givenScopes = t.list(t.textIn(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true });

export const createApiKey = operation('POST', '/v1/api-keys', {
  summary: 'Create an API key',
  access: { scope: 'admin', audit: 'api_key.create', notBySession: 'make keys' },
  body: t.closedObject({ name: displayName, scopes: givenScopes }, { rate_limit: rateLimit }),
  example: { name: 'publisher', scopes: ['publish'] },
  answers: {
    201: answer(apiKeyWithText, 'The API key; the only response that contains the key itself', 'Location', 'ETag'),
  },
  errors: ['limit_reached'],
});

export const listApiKeys = operation('GET', '/v1/api-keys', {
  summary: 'List API keys, oldest first',
  access: { scope: 'admin' },
  query: pageQuery,
  answers: { 200: page(apiKey, 'API keys that are not revoked') },
});

export const getApiKey = operation('GET', '/v1/api-keys/:id', {
  summary: 'Read an API key',
  access: { scope: 'admin' },
  answers: { 200: answer(apiKey, 'The API key, without the key itself', 'ETag') },
  errors: ['gone'],
});

export const deleteApiKey = operation('DELETE', '/v1/api-keys/:id', {
  summary: 'Revoke an API key; this takes effect within seconds',
  access: { scope: 'admin', audit: 'api_key.delete' },
  answers: { 204: { is: 'The API key is revoked' } },
  conditional: true,
});

export const apiKeys = resource({
  tag: 'API keys',
  description: 'Credentials for the API, with scopes. A key has access to one tenant.',
  components: [apiKey, apiKeyWithText],
  operations: { createApiKey, listApiKeys, getApiKey, deleteApiKey },
});
