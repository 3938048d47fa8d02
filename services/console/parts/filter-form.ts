import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';

interface Common {
  /** The parameter, which the API has by the same name. */
  name: string;
  label: string;
}

export type Filter =
  | (Common & { kind: 'choice'; options: readonly (string | { value: string; label: string })[] })
  | (Common & { kind: 'text'; placeholder?: string })
  /** RFC 3339, so that a link means the same tomorrow. */
  | (Common & { kind: 'time' });

interface FilterForm {
  /** The path of the list. */
  action: string;
  filters: readonly Filter[];
  /** The parameters of the request: they stay in the form. */
  query: URLSearchParams;
  errors?: readonly FieldError[];
}

/** The filters of a list as a form. It is a GET: the filters are in the address, and can be sent to somebody. */
export function filterForm({ action, filters, query, errors = [] }: FilterForm): Html {
  const isFiltered = filters.some(({ name }) => query.has(name));
  return html`<form class="filters" action="${action}">
${filters.map((filter) => filterField(filter, query.get(filter.name) ?? '', errors))}
<div class="filter-buttons"><button>Filter</button>${isFiltered && html`<a href="${action}">Clear</a>`}</div>
</form>`;
}

function filterField(filter: Filter, value: string, errors: readonly FieldError[]): Html {
  const { name, label } = filter;
  const id = `filter-${name}`;
  const wrong = errors.filter(({ field }) => field === name);
  const described = wrong.length > 0 && html` aria-invalid="true" aria-describedby="${id}-error"`;
  return html`<div class="field"><label for="${id}">${label}</label>${controlOf(filter, { id, value, described })}
${wrong.length > 0 && html`<p class="field-error" id="${id}-error">${wrong.map(({ message }) => message).join('; ')}</p>`}</div>`;
}

function controlOf(
  filter: Filter,
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
