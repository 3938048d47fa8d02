import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { selectField, textField } from './fields.ts';

interface Common {
  /** The parameter, which the API has by the same name. */
  name: string;
  label: string;
  /** Below “More filters”, which are open while one of them is set. */
  isRare?: boolean;
}

export type Filter =
  | (Common & { kind: 'choice'; options: readonly (string | { value: string; label: string })[] })
  /** Several at once. */
  | (Common & { kind: 'checks'; options: readonly { value: string; label: string }[] })
  /** Repeated: a field for each value, and one more. */
  | (Common & { kind: 'text'; placeholder?: string; isRepeated?: boolean })
  /** RFC 3339, so that a link means the same tomorrow. */
  | (Common & { kind: 'time' });

interface FilterForm {
  /** The path of the list. */
  action: string;
  filters: readonly Filter[];
  /** The parameters of the request: they stay in the form. */
  query: URLSearchParams;
  errors?: readonly FieldError[];
  /** Before the filters. */
  above?: Html;
  /** The text of the button. */
  submit?: string;
}

/** The filters of a list as a form. It is a GET: the filters are in the address, and can be sent to somebody. */
export function filterForm({ action, filters, query, errors = [], above, submit = 'Filter' }: FilterForm): Html {
  const isSet = ({ name }: Filter): boolean => query.has(name) || errors.some(({ field }) => field === name);
  const rare = filters.filter(({ isRare }) => isRare === true);
  const fieldsOf = (some: readonly Filter[]) => some.map((filter) => filterFields(filter, query, errors));
  return html`<form class="filters" action="${action}">${above}
${fieldsOf(filters.filter((filter) => !rare.includes(filter)))}
${rare.length > 0 && html`<details class="more-filters"${rare.some(isSet) && html` open`}><summary>More filters</summary><div class="filters">${fieldsOf(rare)}</div></details>`}
<div class="filter-buttons"><button>${submit}</button>${filters.some(isSet) && html`<a href="${action}">Clear</a>`}</div>
</form>`;
}

/** The field of a filter, or its fields. @param query its values */
export function filterFields(filter: Filter, query: URLSearchParams, errors: readonly FieldError[]): Html | Html[] {
  if (filter.kind === 'checks') return checks(filter, query.getAll(filter.name));
  if (filter.kind !== 'text' || filter.isRepeated !== true)
    return filterField(filter, { value: query.get(filter.name) ?? '', errors });
  const values = query.getAll(filter.name);
  return [...values, ''].map((value, index) => {
    const label = index === 0 ? filter.label : `and ${filter.label.toLowerCase()}`;
    return filterField({ ...filter, label }, { value, errors, index });
  });
}

const checks = ({ name, label, options }: Filter & { kind: 'checks' }, chosen: readonly string[]): Html =>
  html`<fieldset class="checks"><legend>${label}</legend>${options.map((option) => html`<label class="check"><input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}> ${option.label}</label>`)}</fieldset>`;

function filterField(
  filter: Exclude<Filter, { kind: 'checks' }>,
  given: { value: string; errors: readonly FieldError[]; index?: number },
): Html {
  const { name, label } = filter;
  switch (filter.kind) {
    case 'choice':
      return selectField({
        name,
        label,
        ...given,
        options: [{ value: '', label: 'Any' }, ...filter.options.map(inFull)],
      });
    case 'text':
      return textField({ name, label, ...given, placeholder: filter.placeholder ?? '' });
    case 'time':
      return textField({ name, label, ...given, placeholder: '2026-01-31T09:30:00Z', size: 22 });
  }
}

const inFull = (option: string | { value: string; label: string }): { value: string; label: string } =>
  typeof option === 'string' ? { value: option, label: option.replaceAll('_', ' ') } : option;
