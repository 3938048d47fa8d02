/** The indexes of deliveries that a list may be read by: resources/bounded-list.ts. */
import { deliveryStatuses, type DeliveryStatus } from '#lib/contract';
import { isOpen, sqlStatus } from '#lib/event-store';
import { collected, type Lead, type LeadOf, ordered, unordered } from '../resources/bounded-list.ts';
import type { DeliveryFilter } from './filters.ts';

const table = 'deliveries';

export const allDeliveries: LeadOf = () => ordered(table, ['true']);

/** A status, outcome or HTTP status that most deliveries have is in no index by itself. */
export const deliveryLeads = (filter: DeliveryFilter): LeadOf[] => {
  const { endpoint_id, status, outcome, http_status, event_type } = filter;
  const leads: (LeadOf | false)[] = [
    endpoint_id !== undefined && ((bind) => byEndpoint(bind(endpoint_id), status as DeliveryStatus | undefined)),
    status !== undefined && endpoint_id === undefined && byStatus(status as DeliveryStatus),
    outcome !== undefined &&
      outcome !== 'delivered' &&
      ((bind) => ordered(table, [`last_outcome <> 'delivered' AND last_outcome = ${bind(outcome)}`])),
    http_status !== undefined &&
      http_status !== '200' &&
      ((bind) => ordered(table, [`last_http_status <> 200 AND last_http_status = ${bind(http_status)}::int`])),
    event_type !== undefined && ((bind) => byEventType(bind(event_type))),
  ];
  return leads.filter((lead) => lead !== false);
};

/** The index has those of one status in order. */
const byEndpoint = (endpointId: string, status: DeliveryStatus | undefined): Lead =>
  ordered(
    table,
    (status === undefined ? deliveryStatuses : [status]).map(
      (each) => `endpoint_id = ${endpointId} AND status = ${sqlStatus(each)}`,
    ),
  );

/** Statuses that a delivery passes through, or ends in, without fault are not indexed; those that are open are few. */
function byStatus(status: DeliveryStatus): LeadOf | false {
  switch (status) {
    case 'delivered':
      return false;
    case 'pending':
      return () => unordered(`SELECT id FROM ${table} WHERE tenant = $1 AND ${isOpen('status')}`, 'event_id');
    case 'retrying':
    case 'parked':
    case 'dead_lettered':
    case 'cancelled':
      return () => ordered(table, [`status = ${sqlStatus(status)}`]);
  }
}

const byEventType = (type: string): Lead => ({
  ids: [
    `SELECT of_event.id
       FROM (${collected(`SELECT id FROM events WHERE tenant = $1 AND type = ${type}`, 'updated_at')}) AS event
      CROSS JOIN LATERAL (SELECT id FROM deliveries WHERE tenant = $1 AND event_id = event.id OFFSET 0) AS of_event
      WHERE true`,
  ],
  isOrdered: false,
});
