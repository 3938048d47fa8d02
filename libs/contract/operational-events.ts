/**
 * The events about Hookline itself, which go to endpoints that ask for them (subscription.ts). docs/operational-events.md describes each.
 *
 * No such event leads to another: deliveries of these types count neither for nor against the health of an endpoint, and their dead letters are not
 * announced.
 */
export const operationalEventTypes = [
  'hookline.endpoint.failing',
  'hookline.endpoint.recovered',
  'hookline.endpoint.disabling_soon',
  'hookline.endpoint.disabled',
  'hookline.endpoint.paused',
  'hookline.delivery.dead_lettered',
  'hookline.source.rejecting',
  'hookline.tenant.limit_reached',
] as const;

export type OperationalEventType = (typeof operationalEventTypes)[number];

const known: ReadonlySet<string> = new Set(operationalEventTypes);

export const isOperationalEvent = (type: string): type is OperationalEventType => known.has(type);
