import { deliveryStatuses } from '#lib/contract';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { endpointOptions } from '../../parts/named-link.ts';
import { outcomeOptions } from '../../parts/outcome.ts';

/** The filters of the list; they choose what is retried or cancelled, too. */
export const deliveryFilters = (names: TenantNames, query: URLSearchParams): readonly Filter[] => [
  { kind: 'choice', name: 'endpoint_id', label: 'Endpoint', options: endpointOptions(names, query.get('endpoint_id')) },
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: deliveryStatuses,
  },
  { kind: 'text', name: 'event_type', label: 'Event type', placeholder: 'invoice.paid' },
  { kind: 'choice', name: 'outcome', label: 'Last outcome', options: outcomeOptions },
  { kind: 'text', name: 'http_status', label: 'HTTP status', placeholder: '503' },
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'Until' },
];

export const noNames: TenantNames = {
  endpoints: { names: new Map(), isComplete: false },
  sources: { names: new Map(), isComplete: false },
};

export const deliveryFilterNames = deliveryFilters(noNames, new URLSearchParams()).map(({ name }) => name);
