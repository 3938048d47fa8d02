import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { type LimitName, limitNames, limitTable } from '#lib/tenancy';
import type { FieldError } from '../../api-calls/console-api.ts';
import { count } from '../../parts/count.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { inWords } from '../../parts/words.ts';

interface TenantForm {
  context: { base: string; newKey(): string };
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
