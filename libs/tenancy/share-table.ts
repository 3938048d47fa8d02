import type { Used } from './limit-table.ts';

/** Things that tenants share by free room, not by a number for each: shared-room.ts. docs/tenancy.md is written from this table. */
export interface ShareDefinition {
  /** The setting of the whole. */
  of: string;
  counts: string;
  used?: Used;
  /** The behaviour towards a tenant that holds its share. */
  atLimit: string;
}

export const shareTable = {
  places_in_flight: {
    of: '`HOOKLINE_DISPATCHER_MAX_IN_FLIGHT` of each dispatcher',
    counts: 'requests to endpoints that are under way',
    atLimit: 'its next deliveries wait until some of its own have ended',
  },
  queued_deliveries: {
    of: '`HOOKLINE_DISPATCHER_QUEUE_RECORDS` of each dispatcher',
    counts: 'fresh deliveries in memory, those in flight included',
    atLimit: 'its next are parked: they wait in Postgres and spend no attempt',
  },
  queued_bytes: {
    of: '`HOOKLINE_DISPATCHER_QUEUE_BYTES` of each dispatcher',
    counts: 'the same in bytes of payload',
    atLimit: 'its next are parked',
  },
  queued_rows: {
    of: '2,000 of each dispatcher',
    counts: 'deliveries that have waited in Postgres and are in memory to be sent',
    atLimit: 'its rows are not read until some have ended',
  },
  database_connections: {
    of: '10 of each process of the API',
    counts: 'connections to the database that its requests use',
    used: 'process',
    atLimit: 'its next requests wait, in turns with other tenants; above `waiting_requests` 429, after 4 seconds 503',
  },
  held_polls: {
    of: '`HOOKLINE_LONGPOLL_MAX` of each process of the API',
    counts: 'requests with `wait`, looking or held',
    used: 'process',
    atLimit: 'the next is 429',
  },
} as const satisfies Record<string, ShareDefinition>;

export type ShareName = keyof typeof shareTable;
