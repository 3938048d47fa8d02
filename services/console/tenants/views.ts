import type { Tenant, TenantDeletion } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { type LimitName, limitNames, limitTable } from '#lib/tenancy';
import type { FieldError } from '../api-calls/console-api.ts';
import type { OperatorContext } from '../page.ts';
import { errorSummary, postForm, textField } from '../ui/form.ts';
import { tenantBase } from '../ui/shell.ts';
import { statusBadge } from '../ui/status.ts';
import { count, definitions, inWords, plural, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';

export interface TenantForm {
  context: Pick<OperatorContext, 'base' | 'newKey'>;
  tenant: Tenant;
  /** The form as it was entered, after a refusal. */
  entered?: URLSearchParams;
  errors?: readonly FieldError[];
}

/** The field of a limit has the name that the API has for it in its errors. */
export const limitField = (limit: LimitName): string => `limits/${limit}`;

/** The state that the form was opened with: whoever changed it meanwhile is not overwritten. */
export const stateOf = ({ name, own_limits: limits }: Pick<Tenant, 'name' | 'own_limits'>): string =>
  JSON.stringify([name, Object.entries(limits).sort()]);

/** The name and the own limits. A limit that is left empty is that of all tenants. */
export function tenantForm({ context, tenant, entered, errors = [] }: TenantForm): Html {
  const { id, name, own_limits: own } = tenant;
  const valueOf = (field: string, otherwise: string): string => entered?.get(field) ?? otherwise;
  return html`${errorSummary(errors)}${postForm(context, {
    action: `${context.base}/tenants/${id}`,
    submit: 'Save',
    hidden: { state: stateOf(tenant) },
    body: html`${textField({ name: 'name', label: 'Name', hint: 'For people.', value: valueOf('name', name), errors })}
<fieldset class="limits"><legend>Own limits</legend><p class="hint">Left empty, the limit of all tenants holds. Lowering one removes nothing.</p>
${limitNames.map((limit) =>
  textField({
    name: limitField(limit),
    type: 'number',
    label: capitalized(inWords(limit).replace('api', 'API')),
    hint: hintOf(limit, tenant),
    value: valueOf(limitField(limit), String(own[limit] ?? '')),
    errors,
  }),
)}</fieldset>`,
  })}`;
}

function hintOf(limit: LimitName, { limits, own_limits: own, counts }: Tenant): string {
  const has = limit in counts ? ` Has ${count(counts[limit as keyof Tenant['counts']])}.` : '';
  const now = own[limit] === undefined ? ` Now ${count(limits[limit])}.` : '';
  const what = limitTable[limit].counts.replaceAll('`', '');
  return `${capitalized(what)}; at most ${count(limitTable[limit].max)}.${now}${has}`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** How far the deletion has come. */
export function deletionReceipt(context: TenantForm['context'], deletion: TenantDeletion): Html {
  const { id, tenant, status, events, removed, dropped, kafka, created_at: begunAt, completed_at: endedAt } = deletion;
  return html`<section class="card"><p>${status === 'running' ? 'Its senders get 410 and its keys 401 from now on. Its rows are being removed; you may close this page.' : 'All of its rows are removed.'} Its name can be used again when Kafka keeps none of its records.</p>
${definitions([
  ['Status', statusBadge(status)],
  ['Receipt', wholeId(id)],
  ['Begun', time(begunAt)],
  ['Completed', time(endedAt)],
  ['Events', count(events)],
  ['Records on Kafka that were dropped', count(dropped)],
  ['Kafka keeps bytes until', kafka === null ? 'not known yet' : time(deletion.kept_until, 'for ever')],
])}
${Object.keys(removed).length > 0 && html`<h2>Rows that were removed</h2>${definitions(Object.entries(removed).map(([table, rows]) => [inWords(table), count(rows)] as const))}`}
${kafka !== null && kafka.length > 0 && html`<h2>Until when Kafka keeps bytes</h2>${definitions(kafka.map(({ topic, kept_until: until }) => [topic, time(until, 'for ever')] as const))}`}
${postForm(context, { action: `${context.base}/tenants/${tenant}/delete`, submit: 'Look again', tone: 'plain', hidden: { confirm: tenant } })}</section>`;
}

/** Where to look, from the page of a tenant in which there is nothing. */
export function tenantsInUse(base: string, tenants: readonly Tenant[]): Html | null {
  if (tenants.length === 0) return null;
  return html`<section class="card"><h2>This tenant is empty</h2><p>Other tenants are in use:</p>
<ul class="links">${tenants.map(
    ({ id, counts }) =>
      html`<li><a href="${tenantBase(base, id)}/events">${id}</a> <span class="muted">${plural(counts.sources, 'source')}, ${plural(counts.endpoints, 'endpoint')}</span></li>`,
  )}</ul>
<p><a href="${base}/tenants">All tenants</a></p></section>`;
}
