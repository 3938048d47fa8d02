import { deadLetterReasons, deadLetterStages } from '#lib/contract';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { endpointOptions, sourceOptions } from '../../parts/named-link.ts';
import { inWords } from '../../parts/words.ts';
import { stageWords } from '../../routes/dead-letters/dead-letter.ts';

/** The filters that choose what a replay takes. */
export const deadLetterFilters = (names: TenantNames, query: URLSearchParams): readonly Filter[] => [
  { kind: 'choice', name: 'endpoint_id', label: 'Endpoint', options: endpointOptions(names, query.get('endpoint_id')) },
  { kind: 'text', name: 'event_type', label: 'Event type', placeholder: 'invoice.paid' },
  { kind: 'choice', name: 'source_id', label: 'Source', options: sourceOptions(names, query.get('source_id')) },
  {
    kind: 'choice',
    name: 'reason',
    label: 'Reason',
    options: Object.keys(deadLetterReasons).map((value) => ({ value, label: inWords(value) })),
  },
  {
    kind: 'choice',
    name: 'stage',
    label: 'Failed while',
    options: deadLetterStages.map((value) => ({ value, label: stageWords[value] ?? value })),
  },
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'Until' },
];

export const deadLetterStatusFilter: Filter = {
  kind: 'choice',
  name: 'status',
  label: 'Status',
  options: ['dead', 'replaying', 'replayed'],
};
