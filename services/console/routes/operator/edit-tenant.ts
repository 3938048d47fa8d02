import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { type LimitName, limitNames } from '#lib/tenancy';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, type PageStatus, seeOther } from '../../page-result.ts';
import { operatorPage } from '../../page.ts';
import { limitField, stateOf, tenantForm } from '../../pages/operator/tenant-form.ts';
import { tenantBase } from '../../pages/shell.ts';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { inWords } from '../../parts/words.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { findTenant, withoutTenant } from './tenant.ts';

/** `/tenants/:id`: its name and own limits. */
export const editTenant = operatorPage({
  path: '/tenants/:id',
  title: 'Tenant',
  section: 'tenants',
  get: {
    async answer(context) {
      const { api, params } = context;
      const found = await findTenant(api, params.id);
      return found.ok ? tenantPage({ context, tenant: found.value }) : withoutTenant(api, params.id, found.failure);
    },
  },
  post: {
    scope: 'admin',
    async answer(context) {
      const { api, params, form, base } = context;
      const found = await findTenant(api, params.id);
      if (!found.ok) return withoutTenant(api, params.id, found.failure);
      const { value: tenant } = found;
      const { limits, errors } = readLimits(form);
      if (errors.length > 0) return tenantPage({ context, tenant, entered: form, errors, status: 400 });
      if (form.get('state') !== stateOf(tenant)) return tenantPage({ context, tenant, entered: form, status: 412 });
      const saved = await api.change('PUT /v1/tenants/:id', { params, body: { name: form.get('name') ?? '', limits } });
      if (saved.ok) return seeOther(`${base}/tenants/${params.id}`);
      const { failure } = saved;
      return failure.kind === 'problem' && failure.status === 400
        ? tenantPage({ context, tenant, entered: form, errors: failure.problem.errors ?? [], status: 400 })
        : problemOfFailure(failure);
    },
  },
});

function readLimits(form: URLSearchParams): { limits: Partial<Record<LimitName, number>>; errors: FieldError[] } {
  const limits: Partial<Record<LimitName, number>> = {};
  const errors: FieldError[] = [];
  for (const limit of limitNames) {
    const text = (form.get(limitField(limit)) ?? '').trim();
    if (/^\d{1,15}$/.test(text)) limits[limit] = Number(text);
    else if (text !== '') errors.push({ field: `/${limitField(limit)}`, message: 'must be a whole number' });
  }
  return { limits, errors };
}

interface TenantPage {
  context: { base: string; newKey(): string };
  tenant: Tenant;
  entered?: URLSearchParams;
  errors?: readonly FieldError[];
  status?: PageStatus;
}

const tenantPage = ({ context, tenant, status = 200, ...form }: TenantPage) =>
  page({
    status,
    title: tenant.id,
    crumbs: [{ label: 'Tenants', href: `${context.base}/tenants` }],
    actions: html`<a class="button" href="${tenantBase(context.base, tenant.id)}">Overview</a><a class="button danger" href="${context.base}/tenants/${tenant.id}/delete">Delete …</a>`,
    body: html`${status === 412 && changedMeanwhile(tenant)}
<section class="card">${definitions([
      ['Sources', count(tenant.counts.sources)],
      ['Endpoints', count(tenant.counts.endpoints)],
      ['API keys', count(tenant.counts.api_keys)],
    ])}</section>
<section class="card">${tenantForm({ context, tenant, ...form })}</section>`,
  });

/** Both versions: the one that is stored here, the other in the form. */
const changedMeanwhile = ({ name, own_limits: own }: Tenant): Html =>
  html`<div class="note note-warn" role="alert"><p>Somebody else has changed this tenant after you opened it. Nothing was saved. It is now:</p>
<p>name <b>${name === '' ? 'none' : name}</b>${Object.entries(own).map(([limit, value]) => html`, ${inWords(limit)} <b>${count(value)}</b>`)}</p>
<p>The form has your values. Save it to replace theirs.</p></div>`;
