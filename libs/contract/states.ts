/**
 * An event:
 *
 *   received ──set of deliveries known──► processing ──all ended──► completed | dead_lettered
 *                                  └──── none matched ────────────► completed
 *
 * Only a replay (a new generation of deliveries) takes an ended event back to processing.
 */
export const eventStatuses = ['received', 'processing', 'completed', 'dead_lettered'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/**
 * A delivery (one event to one endpoint, in one generation):
 *
 *   pending ──► delivered | dead_lettered | cancelled          final: never left again
 *      │  ▲
 *      ▼  │ (sent again by the partition's owner)
 *   retrying (waiting until a time) ⇄ parked (waiting for room)
 */
export const deliveryStatuses = ['pending', 'retrying', 'parked', 'delivered', 'dead_lettered', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const finalStatuses: readonly DeliveryStatus[] = ['delivered', 'dead_lettered', 'cancelled'];

export const isFinal = (status: DeliveryStatus): boolean => finalStatuses.includes(status);

/** The outcome of one send to an endpoint; the `outcome` label of hookline_delivery_attempts_total. */
export const attemptOutcomes = [
  'delivered',
  'http_4xx',
  'http_5xx',
  'redirect',
  'timeout',
  'connect',
  'tls',
  'blocked',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
