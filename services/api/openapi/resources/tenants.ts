import { limitNames } from '#lib/tenancy';
import type { DocumentedResource } from '../operation.ts';
import { count, object, saying, text } from '#lib/api-contract';

const limits = Object.fromEntries(limitNames.map((limit) => [limit, count]));

const tenant = object({
  id: text,
  name: saying('the name that the operator gave it; empty: none', text),
  limits: saying('the limits that hold: docs/tenancy.md', object(limits)),
  own_limits: saying('limits that are set for this tenant alone', object({}, limits)),
  counts: saying(
    'current counts, by the names of their limits',
    object({ sources: count, endpoints: count, api_keys: count, source_bytes: count, endpoint_bytes: count }),
  ),
});

export const documentedTenants: DocumentedResource = {
  tag: 'Tenants',
  description: 'For the operator’s key alone. A tenant exists as soon as it is named.',
  schemas: { Tenant: tenant },
};
