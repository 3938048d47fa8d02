import type { Tenant } from '#lib/api-contract';
import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page } from '../../page-result.ts';
import { operatorPage } from '../../page.ts';
import { deletionReceipt } from '../../pages/operator/deletion-receipt.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { plural } from '../../parts/words.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { findTenant, withoutTenant } from './tenant.ts';

/**
 * `/tenants/:id/delete`: asks for the id once more, and deletes. The receipt is the answer to the form: a deleted tenant can't be asked for
 * anything, but deleting it again, by a reload of the receipt, says how far that has come.
 */
export const deleteTenant = operatorPage({
  path: '/tenants/:id/delete',
  title: 'Delete a tenant',
  section: 'tenants',
  get: {
    async answer(context) {
      const { api, params } = context;
      const found = await findTenant(api, params.id);
      return found.ok ? confirmation({ context, tenant: found.value }) : withoutTenant(api, params.id, found.failure);
    },
  },
  post: {
    scope: 'admin',
    async answer(context) {
      const { api, base, params, form } = context;
      const { id } = params;
      const confirm = form.get('confirm') ?? '';
      if (confirm !== id) {
        const found = await findTenant(api, id);
        if (!found.ok) return withoutTenant(api, id, found.failure);
        const errors = [{ field: 'confirm', message: `must be ${id}` }];
        return confirmation({ context, tenant: found.value, errors, confirm });
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

interface Confirmation {
  context: { base: string; newKey(): string };
  tenant: Tenant;
  errors?: readonly FieldError[];
  confirm?: string;
}

const confirmation = ({ context, tenant: { id, counts }, errors = [], confirm = '' }: Confirmation) =>
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
  body: textField({ name: 'confirm', label: `Enter ${id} to confirm`, value: confirm, errors, isRequired: true }),
})}
<p><a href="${context.base}/tenants/${id}">Keep it</a></p></section>`,
  });
