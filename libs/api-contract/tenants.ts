import { type LimitName, limitNames, limitTable } from '#lib/tenancy';
import { tenantDeletion } from './erasures.ts';
import { displayName, wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Tenants');

const eachLimit = <S>(schemaOf: (name: LimitName) => S) =>
  Object.fromEntries(limitNames.map((name) => [name, schemaOf(name)])) as Record<LimitName, S>;

const limits = eachLimit(() => t.count);

const tenant = component(
  'Tenant',
  t.object({
    id: t.text,
    name: t.saying('the name that the operator gave it; empty: none', t.text),
    limits: t.saying('the limits that hold: docs/tenancy.md', t.object(limits)),
    own_limits: t.saying('limits that are set for this tenant alone', t.object({}, limits)),
    counts: t.saying(
      'current counts, by the names of their limits',
      t.object({
        sources: t.count,
        endpoints: t.count,
        api_keys: t.count,
        source_bytes: t.count,
        endpoint_bytes: t.count,
      }),
    ),
  }),
);

export type Tenant = t.Static<typeof tenant.schema>;

const access = { scope: 'operator', ofAllTenants: true } as const;

export const listTenants = operation('GET', '/v1/tenants', {
  summary: 'List tenants with their counts and limits, in the order of their ids',
  access,
  query: pageQuery,
  answers: { 200: page(tenant, 'Tenants') },
});

export const getTenant = operation('GET', '/v1/tenants/:id', {
  summary: 'Read a tenant with its counts and limits',
  description:
    'A tenant that `GET /v1/tenants` would list. A deleted tenant is 410 for as long as Kafka keeps its records.',
  access,
  answers: { 200: answer(tenant, 'The tenant') },
  errors: ['gone'],
});

/** A tenant exists as soon as it is named, so there is none that this creates. */
export const putTenant = operation('PUT', '/v1/tenants/:id', {
  summary: 'Name a tenant, and set its own limits',
  description:
    'Replaces both: a limit that is left out is that of `HOOKLINE_TENANT_LIMITS`, or the default. A limit that is lowered below what the tenant has removes nothing. Holds in every process within seconds.',
  access: { ...access, audit: 'tenant.update' },
  body: t.closedObject(
    { name: displayName },
    {
      limits: t.optionalFields(eachLimit((name) => wholeNumber(0, limitTable[name].max))),
    },
  ),
  example: { name: 'Acme' },
  answers: { 200: answer(tenant, 'The tenant') },
  errors: ['gone'],
});

export const deleteTenant = operation('DELETE', '/v1/tenants/:id', {
  summary: 'Delete a tenant with everything that it has',
  description:
    'Its senders and its keys are refused at once, and all of its rows are removed. Its records on Kafka are dropped, and counted, for as long as Kafka keeps them; until then, requests that name the tenant are 410; then the name can be used again. Deleting the tenant again returns the progress.',
  access: { ...access, audit: 'tenant.delete' },
  query: { confirm: parameter(t.textOf({ maxLength: 64 }), 'the id of the tenant once more') },
  answers: { 202: answer(tenantDeletion, 'The deletion') },
});

export const tenants = resource({
  tag: 'Tenants',
  description: 'For the operator’s key alone. A tenant exists as soon as it is named.',
  components: [tenant],
  operations: { listTenants, getTenant, putTenant, deleteTenant },
});
