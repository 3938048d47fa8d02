import { attemptOutcomes, deliveryStatuses, eventStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import { checkbox, selectField, textField } from '../../parts/fields.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { endpointOptions, sourceOptions } from '../../parts/named-link.ts';
import { bulkKinds, type Selection } from '../../routes/replays/selection.ts';
import { deadLetterFilters } from '../dead-letters/dead-letter-filters.ts';

interface SelectionForm {
  action: string;
  selection: Selection;
  names: TenantNames;
  query: URLSearchParams;
  errors: readonly FieldError[];
  /** Is not told of sources. */
  isCustomer: boolean;
}

/** What is to be taken, and how fast: a GET, since it only counts again. */
export function selectionForm({ action, selection, names, query, errors, isCustomer }: SelectionForm): Html {
  const { kind, ids, failedOf, rate, limit } = selection;
  const { things, list } = bulkKinds[kind];
  const t = action.replace(/\/replays\/new$/, '');
  return html`<form class="filters" action="${action}">
<input type="hidden" name="what" value="${kind}">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}${
    failedOf !== null && html`<input type="hidden" name="failed_of" value="${failedOf}">`
  }
${filtersOf(selection, names, query)
  .filter(({ name }) => !(isCustomer && name === 'source_id'))
  .map((filter) => fieldOf(filter, query, errors))}
${rate !== undefined && textField({ name: 'rate_per_second', label: 'Rate per second', value: rate, type: 'text', errors })}
${textField({ name: 'limit', label: 'Limit', value: limit ?? '', errors })}
<div class="filter-buttons"><button>Count again</button><a href="${t}${list}">Back to the ${things}</a></div>
</form>`;
}

function fieldOf(filter: Filter, query: URLSearchParams, errors: readonly FieldError[]): Html {
  const { name, label } = filter;
  const values = query.getAll(name);
  if (filter.kind === 'choice') {
    const options = filter.options.map((option) =>
      typeof option === 'string' ? { value: option, label: option.replaceAll('_', ' ') } : option,
    );
    return selectField({
      name,
      label,
      value: values[0] ?? '',
      errors,
      options: [{ value: '', label: 'Any' }, ...options],
    });
  }
  if (values.length < 2) return textField({ name, label, value: values[0] ?? '', errors });
  return html`<fieldset class="field"><legend>${label}</legend>${values.map((value) => checkbox({ name, label: value, value, isChecked: true }))}</fieldset>`;
}

const shownHas = [
  { value: 'duplicates', label: 'duplicates' },
  { value: 'changed', label: 'changed duplicates' },
  { value: 'dead_letters', label: 'dead letters' },
];

function filtersOf({ kind }: Selection, names: TenantNames, query: URLSearchParams): readonly Filter[] {
  const endpoint = (name: string, label: string): Filter => ({
    kind: 'choice',
    name,
    label,
    options: endpointOptions(names, query.get(name)),
  });
  switch (kind) {
    case 'dead_letters':
      return deadLetterFilters(names, query);
    case 'events':
      return [
        { kind: 'text', name: 'type', label: 'Event type' },
        { kind: 'choice', name: 'source_id', label: 'Source', options: sourceOptions(names, query.get('source_id')) },
        { kind: 'choice', name: 'status', label: 'Status', options: eventStatuses },
        endpoint('endpoint_id', 'With a delivery to'),
        query.getAll('has').length > 1
          ? { kind: 'text', name: 'has', label: 'Has' }
          : { kind: 'choice', name: 'has', label: 'Has', options: shownHas },
        { kind: 'text', name: 'tag', label: 'Tag' },
        // Rare ones: shown when they are asked for.
        ...(
          [
            ['event_id', 'Sender’s id'],
            ['receipt_id', 'Receipt'],
            ['ordering_key', 'Ordering key'],
            ['trace_id', 'Trace'],
          ] as const
        ).flatMap(([name, label]): Filter[] => (query.has(name) ? [{ kind: 'text', name, label }] : [])),
        { kind: 'time', name: 'received_since', label: 'Received from' },
        { kind: 'time', name: 'received_until', label: 'Received until' },
        endpoint('to_endpoint', 'Send to'),
      ];
    case 'retry':
    case 'cancel':
      return [
        endpoint('endpoint_id', 'Endpoint'),
        { kind: 'choice', name: 'status', label: 'Status', options: deliveryStatuses },
        { kind: 'text', name: 'event_type', label: 'Event type' },
        { kind: 'choice', name: 'outcome', label: 'Last outcome', options: attemptOutcomes },
        { kind: 'text', name: 'http_status', label: 'Last HTTP status' },
        { kind: 'time', name: 'since', label: 'From' },
        { kind: 'time', name: 'until', label: 'Until' },
      ];
  }
}
