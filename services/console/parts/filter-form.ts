import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';

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

function filterFields(filter: Filter, query: URLSearchParams, errors: readonly FieldError[]): Html | Html[] {
  if (filter.kind === 'checks') return checks(filter, query.getAll(filter.name));
  if (filter.kind !== 'text' || filter.isRepeated !== true)
    return filterField(filter, query.get(filter.name) ?? '', errors);
  const values = query.getAll(filter.name);
  return [...values, ''].map((value, index) =>
    filterField(index === 0 ? filter : { ...filter, label: `and ${filter.label.toLowerCase()}` }, value, errors, index),
  );
}

const checks = ({ name, label, options }: Filter & { kind: 'checks' }, chosen: readonly string[]): Html =>
  html`<fieldset class="checks"><legend>${label}</legend>${options.map((option) => html`<label class="check"><input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}> ${option.label}</label>`)}</fieldset>`;

function filterField(
  filter: Exclude<Filter, { kind: 'checks' }>,
  value: string,
  errors: readonly FieldError[],
  index = 0,
): Html {
  const { name, label } = filter;
  const id = `filter-${name}${index === 0 ? '' : `-${index + 1}`}`;
  const wrong = errors.filter(({ field }) => field === name);
  const described = wrong.length > 0 && html` aria-invalid="true" aria-describedby="${id}-error"`;
  return html`<div class="field"><label for="${id}">${label}</label>${controlOf(filter, { id, value, described })}
${wrong.length > 0 && html`<p class="field-error" id="${id}-error">${wrong.map(({ message }) => message).join('; ')}</p>`}</div>`;
}

function controlOf(
  filter: Exclude<Filter, { kind: 'checks' }>,
  { id, value, described }: { id: string; value: string; described: Html | false },
): Html {
  const { name } = filter;
  switch (filter.kind) {
    case 'choice':
      return html`<select id="${id}" name="${name}"${described}><option value="">Any</option>${filter.options.map((option) => choice(option, value))}</select>`;
    case 'text':
      return html`<input id="${id}" name="${name}" value="${value}" placeholder="${filter.placeholder ?? ''}" spellcheck="false" autocomplete="off"${described}>`;
    case 'time':
      return html`<input id="${id}" name="${name}" value="${value}" placeholder="2026-01-31T09:30:00Z" size="22" spellcheck="false" autocomplete="off"${described}>`;
  }
}

function choice(option: string | { value: string; label: string }, chosen: string): Html {
  const { value, label } = typeof option === 'string' ? { value: option, label: inWords(option) } : option;
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}

const inWords = (value: string): string => value.replaceAll('_', ' ');
