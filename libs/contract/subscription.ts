/** Which events an endpoint is to get; an empty list is all. */
export interface Subscription {
  /** A type by its name, `*` for every type, `order.*` for those below `order`. */
  eventTypes: readonly string[];
  sourceIds: readonly string[];
}

export const isSubscribed = (
  { eventTypes, sourceIds }: Subscription,
  event: { type: string; source_id: string },
): boolean =>
  (eventTypes.length === 0 || eventTypes.some((pattern) => matchesType(pattern, event.type))) &&
  (sourceIds.length === 0 || sourceIds.includes(event.source_id));

function matchesType(pattern: string, type: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}
