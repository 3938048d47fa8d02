import type { DocumentedResource } from '../operation.ts';
import { id, object, oneOf, saying, text, time } from '../schema.ts';

const fields = (description: string) => saying(description, { type: ['object', 'null'], additionalProperties: true });

const entry = object({
  id: id('aud'),
  at: time,
  actor: object({
    type: oneOf(['key', 'session', 'operator']),
    id: saying('id of the key or session; `admin` for the operator', text),
    key_id: saying('the key that acted, for a session the one that it was made from', text),
  }),
  action: saying('`<resource>.<verb>`', text),
  resource_id: text,
  before: fields('the fields that changed, as they were; null for a creation'),
  after: fields('the fields that changed, as they are; null for a deletion'),
  request_id: saying('in the log of the API, too', id('req')),
});

export const documentedAudit: DocumentedResource = {
  tag: 'Audit',
  description:
    'Who changed what, for 400 days. Secrets are `***`; filters, tags, payloads, examples, queries of URLs and long values are digests, equal for equal values of a tenant. Published events are not entries.',
  schemas: { AuditEntry: entry },
};
