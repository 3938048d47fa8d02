import { scopes } from '../../keys/scopes.ts';
import { rateLimit } from '../../settings/fields.ts';
import { type DocumentedResource, page } from '../operation.ts';
import { extend, id, list, nullable, object, oneOf, saying, text, time } from '../schema.ts';

const key = object({
  id: id('key'),
  name: text,
  scopes: list(oneOf(scopes)),
  rate_limit: saying('its own, or that of all', rateLimit),
  created_at: time,
  last_used_at: saying('to the minute', nullable(time)),
});

export const documentedApiKeys: DocumentedResource = {
  tag: 'API keys',
  description: 'Who may ask, and what. A key sees its tenant alone.',
  schemas: {
    ApiKey: key,
    ApiKeyWithText: extend(key, { key: saying('shown in this answer alone', text) }),
  },
  operations: {
    'POST /v1/api-keys': {
      id: 'createApiKey',
      summary: 'Create an API key',
      answers: { 201: { is: 'The key, with its text', body: 'ApiKeyWithText', headers: ['Location', 'ETag'] } },
      errors: ['limit_reached'],
    },
    'GET /v1/api-keys': {
      id: 'listApiKeys',
      summary: 'List API keys, the oldest first',
      answers: { 200: page('ApiKey', 'Those that are not revoked') },
    },
    'GET /v1/api-keys/:id': {
      id: 'getApiKey',
      summary: 'Read an API key',
      answers: { 200: { is: 'The key, without its text', body: 'ApiKey', headers: ['ETag'] } },
      errors: ['gone'],
    },
    'DELETE /v1/api-keys/:id': {
      id: 'deleteApiKey',
      summary: 'Revoke an API key: within seconds nobody gets in with it',
      answers: { 204: { is: 'It is revoked' } },
      conditional: true,
    },
  },
};
