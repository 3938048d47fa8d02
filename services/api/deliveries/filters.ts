import type { deliveryFilterQuery } from '#lib/api-contract';
import { type Filtering, type FilterRow, readInstant } from '../http/filters.ts';

/** The filters of `GET /v1/deliveries`. Conditions are on columns of `deliveries d`. */
export const deliveryFilters = {
  endpoint_id: {
    condition: (endpointId) => `d.endpoint_id = ${endpointId}`,
  },
  status: {
    condition: (status) => `d.status = ${status}`,
  },
  event_type: {
    condition: (type) => `(SELECT e.type = ${type} FROM events e WHERE e.tenant = d.tenant AND e.id = d.event_id)`,
  },
  outcome: {
    condition: (outcome) => `d.last_outcome = ${outcome}`,
  },
  http_status: {
    condition: (status) => `d.last_http_status = ${status}::int`,
  },
  since: {
    read: readInstant,
    condition: (instant) => `d.created_at >= ${instant}::timestamptz`,
  },
  until: {
    read: readInstant,
    condition: (instant) => `d.created_at < ${instant}::timestamptz`,
  },
} satisfies Record<keyof typeof deliveryFilterQuery, FilterRow>;

export type DeliveryFilter = Filtering<typeof deliveryFilters>;
