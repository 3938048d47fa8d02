/**
 * The one table of the states of events and deliveries: SQL conditions (libs/event-store/status-conditions.ts), the counts of an event, and the
 * API's document are built from it. Partial indexes of deploy/postgres/migrations repeat the open ones: a test compares them.
 *
 * An event:
 *
 *   received ──set of deliveries known──► processing ──all ended──► completed | dead_lettered
 *                                  └──── none matched ────────────► completed
 *
 * Only a replay (a new generation of deliveries) takes an ended event back to processing. An event in any state can be erased, and stays so.
 */
const eventStates = {
  received: { isFinal: false },
  processing: { isFinal: false },
  completed: { isFinal: true },
  dead_lettered: { isFinal: true },
  erased: { isFinal: true },
} as const;

export type EventStatus = keyof typeof eventStates;
export const eventStatuses = Object.keys(eventStates) as EventStatus[];
export const finalEventStatuses = eventStatuses.filter((status) => eventStates[status].isFinal);

/**
 * A delivery (one event to one endpoint, in one generation):
 *
 *   pending ──► delivered | dead_lettered | cancelled          final: never left again
 *      │  ▲
 *      ▼  │ (sent again by the partition's owner)
 *   retrying (waiting until a time) ⇄ parked (waiting for room)
 *
 * `waits`: it has a row of the table `waiting`. `countsAs`: the count of its event that includes it, a column of `events`.
 */
const deliveryStates = {
  pending: { isFinal: false, waits: false, countsAs: 'pending' },
  retrying: { isFinal: false, waits: true, countsAs: 'retrying' },
  parked: { isFinal: false, waits: true, countsAs: 'pending' },
  delivered: { isFinal: true, waits: false, countsAs: 'delivered' },
  dead_lettered: { isFinal: true, waits: false, countsAs: 'dead_lettered' },
  cancelled: { isFinal: true, waits: false, countsAs: 'cancelled' },
} as const;

type DeliveryStates = typeof deliveryStates;
export type DeliveryStatus = keyof DeliveryStates;
export type WaitingStatus = {
  [status in DeliveryStatus]: DeliveryStates[status]['waits'] extends true ? status : never;
}[DeliveryStatus];
export const deliveryStatuses = Object.keys(deliveryStates) as DeliveryStatus[];

export const isFinal = (status: DeliveryStatus): boolean => deliveryStates[status].isFinal;
export const isWaiting = (status: DeliveryStatus): status is WaitingStatus => deliveryStates[status].waits;

export const finalStatuses = deliveryStatuses.filter(isFinal);
export const openStatuses = deliveryStatuses.filter((status) => !isFinal(status));
export const waitingStatuses = deliveryStatuses.filter(isWaiting);

/** An event's counts of its deliveries. */
export type DeliveryCount = DeliveryStates[DeliveryStatus]['countsAs'];
export const deliveryCounts: readonly DeliveryCount[] = [
  ...new Set(deliveryStatuses.map((status) => deliveryStates[status].countsAs)),
];
export const statusesOfCount = (count: DeliveryCount): DeliveryStatus[] =>
  deliveryStatuses.filter((status) => deliveryStates[status].countsAs === count);

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
