import { dateTime, filterText } from './fields.ts';
import { component, operation, page, parameter, resource } from './operation.ts';
import { pageQuery } from './paging.ts';
import { anyObject, id, nullable, object, oneOf, saying, type Static, text, time } from './schema.ts';

const fields = (description: string) => saying(description, nullable(anyObject));

const auditEntry = component(
  'AuditEntry',
  object({
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
  }),
);

export type AuditEntry = Static<typeof auditEntry.schema>;

export const listAuditEntries = operation({
  method: 'GET',
  path: '/v1/audit',
  tag: 'Audit',
  id: 'listAuditEntries',
  summary: 'List who changed what, newest first',
  description: 'With `Hookline-Tenant: *`, what the operator changed of its sessions for all tenants.',
  access: { scope: 'admin', ofAllTenants: true },
  query: {
    actor: parameter(
      filterText,
      'id of an API key, including what its sessions did; id of a session; or `admin`, the operator',
    ),
    action: parameter(filterText, 'action, such as `endpoint.update`'),
    resource: parameter(filterText, 'id of the resource'),
    since: parameter(dateTime, 'RFC 3339: at or after this time'),
    until: parameter(dateTime, 'RFC 3339: before this time'),
    ...pageQuery,
  },
  answers: { 200: page(auditEntry, 'Changes that match') },
});

export const audit = resource({
  tag: 'Audit',
  description:
    'Who changed what, for 400 days. Secrets are `***`; filters, tags, payloads, examples, queries of URLs and long values are digests, equal for equal values of a tenant. Published events are not entries.',
  components: [auditEntry],
  operations: [listAuditEntries],
});
