import { attemptOutcomes, deliveryStatuses, eventStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import { textField } from '../../parts/fields.ts';
import { type Filter, filterFields } from '../../parts/filter-form.ts';
import { endpointOptions, sourceOptions } from '../../parts/named-link.ts';
import { bulkKinds, type Selection } from '../../routes/replays/selection.ts';
import { hasFilter } from '../events/event-filters.ts';
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

/** The form of the replay's filter and rate: a GET, since it only counts again. */
export function selectionForm({ action, selection, names, query, errors, isCustomer }: SelectionForm): Html {
  const { kind, ids, failedOf, rate, limit } = selection;
  const { resources, list } = bulkKinds[kind];
  const t = action.replace(/\/replays\/new$/, '');
  return html`<form class="filters" action="${action}">
<input type="hidden" name="what" value="${kind}">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}${
    failedOf !== null && html`<input type="hidden" name="failed_of" value="${failedOf}">`
  }
${filtersOf(selection, names, query)
  .filter(({ name }) => !(isCustomer && name === 'source_id'))
  .map((filter) => filterFields(filter, query, errors))}
${rate !== undefined && textField({ name: 'rate_per_second', label: 'Rate per second', value: rate, type: 'text', errors })}
${textField({ name: 'limit', label: 'Limit', value: limit ?? '', errors })}
<div class="filter-buttons"><button>Count again</button><a href="${t}${list}">Back to the ${resources}</a></div>
</form>`;
}

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
        hasFilter,
        { kind: 'text', name: 'tag', label: 'Tag', isRepeated: true },
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
