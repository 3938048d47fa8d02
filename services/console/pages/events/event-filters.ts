import type { Filter } from '../../parts/filter-form.ts';
import { type Source, sourceOptions } from './source-names.ts';

const statuses = ['received', 'processing', 'completed', 'dead_lettered', 'erased'];

export const hasFilter: Filter = {
  kind: 'checks',
  name: 'has',
  label: 'Has',
  options: [
    { value: 'duplicates', label: 'duplicates' },
    { value: 'changed', label: 'changed duplicates' },
    { value: 'dead_letters', label: 'dead letters' },
  ],
};

/** The filters of `GET /v1/events`, by the names that the API has for them. @param sources undefined: they are not told of */
export const eventFilters = (
  sources: readonly Source[] | undefined,
  query = new URLSearchParams(),
): readonly Filter[] => [
  { kind: 'text', name: 'type', label: 'Type', placeholder: 'invoice.paid' },
  ...(sources === undefined
    ? []
    : [
        {
          kind: 'choice' as const,
          name: 'source_id',
          label: 'Source',
          options: sourceOptions(sources, query.get('source_id')),
        },
      ]),
  { kind: 'choice', name: 'status', label: 'Status', options: statuses },
  { kind: 'time', name: 'received_since', label: 'From' },
  { kind: 'time', name: 'received_until', label: 'Until' },
  { kind: 'text', name: 'tag', label: 'Tag', placeholder: 'customer:cus_9', isRepeated: true, isRare: true },
  { kind: 'text', name: 'event_id', label: 'Sender’s id', isRare: true },
  { kind: 'text', name: 'endpoint_id', label: 'Endpoint', placeholder: 'ep_…', isRare: true },
  { kind: 'text', name: 'ordering_key', label: 'Ordering key', isRare: true },
  { kind: 'text', name: 'receipt_id', label: 'Receipt', placeholder: 'rcp_…', isRare: true },
  { kind: 'text', name: 'trace_id', label: 'Trace', placeholder: '32 hexadecimal digits', isRare: true },
  { ...hasFilter, isRare: true },
];

export const eventFilterNames: readonly string[] = eventFilters([]).map(({ name }) => name);

/** The filters of a request, without its position. */
export const filtersIn = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => eventFilterNames.includes(name)));
