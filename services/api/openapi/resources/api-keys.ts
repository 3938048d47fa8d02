import { extend, id, list, nullable, object, oneOf, saying, scopes, text, time } from '#lib/api-contract';
import { rateLimit } from '../../settings/fields.ts';
import type { DocumentedResource } from '../operation.ts';

const key = object({
  id: id('key'),
  name: text,
  scopes: list(oneOf(scopes)),
  rate_limit: saying('rate limit of this key; null: the default', rateLimit),
  created_at: time,
  last_used_at: saying('accurate to a minute', nullable(time)),
});

export const documentedApiKeys: DocumentedResource = {
  tag: 'API keys',
  description: 'Credentials for the API, with scopes. A key has access to one tenant.',
  schemas: {
    ApiKey: key,
    ApiKeyWithText: extend(key, { key: saying('shown only in this response', text) }),
  },
};
