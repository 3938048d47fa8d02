import { dateTime, filterText } from '#lib/api-contract';
import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import { type Filtering, type DescribedFilterTable, readInstant } from '../http/filters.ts';

/** The filters of `GET /v1/deliveries`. Conditions are on columns of `deliveries d`. */
export const deliveryFilters = {
  endpoint_id: {
    schema: filterText,
    condition: (endpointId) => `d.endpoint_id = ${endpointId}`,
  },
  status: {
    schema: { type: 'string', enum: deliveryStatuses },
    condition: (status) => `d.status = ${status}`,
  },
  event_type: {
    schema: filterText,
    condition: (type) => `(SELECT e.type = ${type} FROM events e WHERE e.tenant = d.tenant AND e.id = d.event_id)`,
  },
  outcome: {
    schema: { type: 'string', enum: attemptOutcomes },
    description: 'outcome of the last attempt',
    condition: (outcome) => `d.last_outcome = ${outcome}`,
  },
  http_status: {
    schema: { type: 'string', maxLength: 3, pattern: '^[1-9][0-9]{2}$', description: 'an HTTP status such as 503' },
    description: 'HTTP status of the last attempt',
    condition: (status) => `d.last_http_status = ${status}::int`,
  },
  since: {
    schema: dateTime,
    description: 'RFC 3339: deliveries created at or after this time',
    read: readInstant,
    condition: (instant) => `d.created_at >= ${instant}::timestamptz`,
  },
  until: {
    schema: dateTime,
    description: 'RFC 3339: deliveries created before this time',
    read: readInstant,
    condition: (instant) => `d.created_at < ${instant}::timestamptz`,
  },
} satisfies DescribedFilterTable;

export type DeliveryFilter = Filtering<typeof deliveryFilters>;
