/** The first reason why an endpoint did not get an event, in the order in which they are checked; or why that is unknown. */
export const matchReasons = [
  'test_event',
  'loop',
  'created_later',
  'disabled',
  'deleted',
  'type',
  'source',
  'payload_not_json',
  'filter',
  'payload_removed',
  'history_removed',
] as const;
export type MatchReason = (typeof matchReasons)[number];
