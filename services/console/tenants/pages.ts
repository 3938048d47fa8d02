import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { type LimitName, limitNames } from '#lib/tenancy';
import { formAgain } from '../after-change.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { page, type PageResult, type PageStatus, seeOther } from '../page-result.ts';
import { type OperatorContext, type OperatorFormContext, operatorPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { tenantPattern } from '../reader.ts';
import { errorSummary, postForm, textField } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { tenantBase } from '../ui/shell.ts';
import { cliCommand, count, definitions, inWords, plural } from '../ui/text.ts';
import { findTenant, isMissing, withoutTenant } from './read.ts';
import { deletionReceipt, limitField, stateOf, type TenantForm, tenantForm } from './views.ts';

/** The page of the tenant in the path, or the one in its place. */
async function withTenant(
  { api, params: { id } }: OperatorContext<'/tenants/:id'>,
  show: (tenant: Tenant) => PageResult | Promise<PageResult>,
): Promise<PageResult> {
  const found = await findTenant(api, id);
  return found.ok ? show(found.value) : withoutTenant(api, id, found.failure);
}

/** Saves the entered name, and these limits. @param again the form with what is wrong */
async function saveTenant(
  { api, base, form }: OperatorFormContext,
  { id, own_limits: limits }: Pick<Tenant, 'id' | 'own_limits'>,
  again: (errors: readonly FieldError[]) => PageResult,
): Promise<PageResult> {
  const saved = await api.change('PUT /v1/tenants/:id', {
    params: { id },
    body: { name: form.get('name') ?? '', limits },
  });
  return saved.ok ? seeOther(`${base}/tenants/${id}`) : formAgain(saved.failure, again);
}

/** `/tenants/:id`: its name and own limits. */
const editTenant = operatorPage({
  path: '/tenants/:id',
  title: 'Tenant',
  section: 'tenants',
  get: { answer: (context) => withTenant(context, (tenant) => tenantPage({ context, tenant })) },
  post: {
    scope: 'admin',
    answer: (context) =>
      withTenant(context, (tenant) => {
        const { form: entered } = context;
        const { limits, errors } = readLimits(entered);
        const wrong = (errors: readonly FieldError[]): PageResult =>
          tenantPage({ context, tenant, entered, errors, status: 400 });
        if (errors.length > 0) return wrong(errors);
        if (entered.get('state') !== stateOf(tenant)) return tenantPage({ context, tenant, entered, status: 412 });
        return saveTenant(context, { id: tenant.id, own_limits: limits }, wrong);
      }),
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

const tenantPage = ({ context, tenant, status = 200, ...form }: TenantForm & { status?: PageStatus }): PageResult =>
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

/**
 * `/tenants/:id/delete`: asks for the id once more, and deletes. The receipt is the answer to the form: a deleted tenant can't be asked for
 * anything, but deleting it again, by a reload of the receipt, says how far that has come.
 */
const deleteTenant = operatorPage({
  path: '/tenants/:id/delete',
  title: 'Delete a tenant',
  section: 'tenants',
  get: { answer: (context) => withTenant(context, (tenant) => confirmation({ context, tenant })) },
  post: {
    scope: 'admin',
    async answer(context) {
      const { api, base, params, form: entered } = context;
      const { id } = params;
      const confirm = entered.get('confirm') ?? '';
      if (confirm !== id) {
        const errors = [{ field: 'confirm', message: `must be ${id}` }];
        return withTenant(context, (tenant) => confirmation({ context, tenant, entered, errors }));
      }
      const deleted = await api.change('DELETE /v1/tenants/:id', { params, query: { confirm } });
      if (!deleted.ok) return problemOfFailure(deleted.failure);
      return page({
        title: `${id} is deleted`,
        crumbs: [{ label: 'Tenants', href: `${base}/tenants` }],
        body: deletionReceipt(context, deleted.value),
      });
    },
  },
});

const confirmation = ({ context, tenant: { id, counts }, entered, errors = [] }: TenantForm): PageResult =>
  page({
    status: errors.length > 0 ? 400 : 200,
    title: `Delete ${id}?`,
    crumbs: [
      { label: 'Tenants', href: `${context.base}/tenants` },
      { label: id, href: `${context.base}/tenants/${id}` },
    ],
    body: html`<section class="card">${errorSummary(errors)}<p>Everything that the tenant has is removed for good: ${plural(counts.sources, 'source')}, ${plural(counts.endpoints, 'endpoint')}, ${plural(counts.api_keys, 'API key')}, and all of its events and deliveries. Its senders get 410 and its keys 401 at once.</p>
${postForm(context, {
  action: `${context.base}/tenants/${id}/delete`,
  submit: 'Delete the tenant',
  tone: 'danger',
  body: textField({
    name: 'confirm',
    label: `Enter ${id} to confirm`,
    value: entered?.get('confirm') ?? '',
    errors,
    isRequired: true,
  }),
})}
<p><a href="${context.base}/tenants/${id}">Keep it</a></p></section>`,
  });

/** `/tenants`: all of them, in the order of their ids; and naming another one. */
const tenants = operatorPage({
  path: '/tenants',
  title: 'Tenants',
  section: 'tenants',
  get: {
    query: listParameters([]),
    async answer(context) {
      const { base, api, query } = context;
      return listPage<Tenant>(context, {
        title: 'Tenants',
        href: `${base}/tenants`,
        listed: await api.list('GET /v1/tenants', { query }),
        actions: html`<a class="button" href="${base}/sessions">The operator’s sessions</a>`,
        above: html`<section class="card"><details><summary>Name a tenant</summary>${nameForm({ context })}</details></section>`,
        row: ({ id }) => tenantBase(base, id),
        columns: [
          { header: 'Tenant', cell: ({ id }) => id },
          { header: 'Name', cell: ({ name }) => html`<bdi>${name === '' ? '–' : name}</bdi>` },
          { header: 'Sources', isNumber: true, cell: (tenant) => share(tenant, 'sources') },
          { header: 'Endpoints', isNumber: true, cell: (tenant) => share(tenant, 'endpoints') },
          { header: 'API keys', isNumber: true, cell: (tenant) => share(tenant, 'api_keys') },
          { header: 'Own limits', cell: ({ own_limits: own }) => Object.keys(own).map(inWords).join(', ') || 'none' },
          { header: 'Settings', cell: ({ id }) => html`<a href="${base}/tenants/${id}">Name and limits</a>` },
        ],
        empty: {
          title: 'No tenant yet',
          body: 'A tenant exists as soon as it is named: by a key, by the header Hookline-Tenant, or here.',
          command: cliCommand('tenants set acme --name Acme'),
        },
      });
    },
  },
  post: {
    scope: 'admin',
    async answer(context) {
      const { base, api, form: entered } = context;
      const id = (entered.get('id') ?? '').trim();
      const wrong = (errors: readonly FieldError[]): PageResult =>
        page({
          status: 400,
          crumbs: [{ label: 'Tenants', href: `${base}/tenants` }],
          title: 'Name a tenant',
          body: html`<section class="card">${nameForm({ context, entered, errors })}</section>`,
        });
      if (!tenantPattern.test(id)) return wrong([{ field: 'id', message: wrongId }]);
      // A PUT replaces the limits, too.
      const found = await findTenant(api, id);
      if (!found.ok && !isMissing(found.failure)) return problemOfFailure(found.failure);
      return saveTenant(context, found.ok ? found.value : { id, own_limits: {} }, wrong);
    },
  },
});

const wrongId = 'must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit';

/** How much of its limit a tenant has. */
const share = ({ counts, limits }: Tenant, of: keyof Tenant['counts']): Html =>
  html`<span>${count(counts[of])} <span class="muted">of ${count(limits[of])}</span></span>`;

const nameForm = ({ context, entered, errors = [] }: Omit<TenantForm, 'tenant'>): Html =>
  html`${errorSummary(errors)}${postForm(context, {
    action: `${context.base}/tenants`,
    submit: 'Save',
    body: html`${textField({ name: 'id', label: 'Id', hint: 'In addresses, keys and headers. It can’t be changed.', value: entered?.get('id') ?? '', errors, isRequired: true })}
${textField({ name: 'name', label: 'Name', hint: 'For people.', value: entered?.get('name') ?? '', errors })}`,
  })}`;

/** `/tenants`. */
export const tenantPages = [tenants, editTenant, deleteTenant];
