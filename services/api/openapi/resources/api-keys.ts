import { scopes } from '../../keys/scopes.ts';
import { rateLimit } from '../../settings/fields.ts';
import type { DocumentedResource } from '../operation.ts';
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
};
