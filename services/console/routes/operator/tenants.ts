import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, seeOther } from '../../page-result.ts';
import { operatorPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { tenantBase } from '../../pages/shell.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { count } from '../../parts/count.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { inWords } from '../../parts/words.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { tenantPattern } from '../../session/session.ts';
import { deleteTenant } from './delete-tenant.ts';
import { editTenant } from './edit-tenant.ts';
import { findTenant, isMissing } from './tenant.ts';

/** `/tenants`: all of them, in the order of their ids; and naming another one. */
export const tenants = operatorPage({
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
          { header: 'Sources', isNumber: true, cell: ({ counts, limits }) => share(counts.sources, limits.sources) },
          {
            header: 'Endpoints',
            isNumber: true,
            cell: ({ counts, limits }) => share(counts.endpoints, limits.endpoints),
          },
          { header: 'API keys', isNumber: true, cell: ({ counts, limits }) => share(counts.api_keys, limits.api_keys) },
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
      const { base, api, form } = context;
      const id = (form.get('id') ?? '').trim();
      const wrong = (errors: readonly FieldError[]) =>
        page({
          status: 400,
          crumbs: [{ label: 'Tenants', href: `${base}/tenants` }],
          title: 'Name a tenant',
          body: html`<section class="card">${nameForm({ context, entered: form, errors })}</section>`,
        });
      if (!tenantPattern.test(id)) return wrong([{ field: 'id', message: wrongId }]);
      // A PUT replaces the limits, too.
      const found = await findTenant(api, id);
      if (!found.ok && !isMissing(found.failure)) return problemOfFailure(found.failure);
      const limits = found.ok ? found.value.own_limits : {};
      const saved = await api.change('PUT /v1/tenants/:id', { params: { id }, body: { name: form.get('name') ?? '', limits } });
      if (saved.ok) return seeOther(`${base}/tenants/${id}`);
      const { failure } = saved;
      return failure.kind === 'problem' && failure.status === 400
        ? wrong(failure.problem.errors ?? [])
        : problemOfFailure(failure);
    },
  },
});

const wrongId = 'must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit';

/** How much of its limit a tenant has. */
const share = (has: number, limit: number): Html =>
  html`<span>${count(has)} <span class="muted">of ${count(limit)}</span></span>`;

interface NameForm {
  context: { base: string; newKey(): string };
  entered?: URLSearchParams;
  errors?: readonly FieldError[];
}

const nameForm = ({ context, entered, errors = [] }: NameForm): Html =>
  html`${errorSummary(errors)}${postForm(context, {
    action: `${context.base}/tenants`,
    submit: 'Save',
    body: html`${textField({ name: 'id', label: 'Id', hint: 'In addresses, keys and headers. It can’t be changed.', value: entered?.get('id') ?? '', errors, isRequired: true })}
${textField({ name: 'name', label: 'Name', hint: 'For people.', value: entered?.get('name') ?? '', errors })}`,
  })}`;

/** `/tenants`. */
export const tenantPages = [tenants, editTenant, deleteTenant];
