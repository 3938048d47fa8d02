import type { ShareName } from '#lib/tenancy';

/** Shares of tenants in the lanes. */
export const dispatcherShares = [
  'places_in_flight',
  'queued_deliveries',
  'queued_bytes',
  'queued_rows',
] as const satisfies ShareName[];
export type DispatcherShare = (typeof dispatcherShares)[number];
