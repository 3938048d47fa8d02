import { type EndpointHealth, isTrying } from '../endpoints/endpoint-health.ts';
import { type EndpointRef, laneKey } from '../model/job.ts';
import type { JobsInHand } from './jobs-in-hand.ts';
import { type LanePlaces, rowsOfUnknown } from './lane-places.ts';
import type { Lane } from './lane.ts';

/** Places for deliveries that have waited. */
export interface RowRoom {
  /** Defaults for a lane and a tenant that are not listed below. */
  perLane: number;
  perTenant: number;
  lanes: LaneRoom[];
  tenants: TenantRoom[];
  total: number;
}

export interface LaneRoom {
  tenant: string;
  endpointId: string;
  room: number;
  early: boolean;
}

export interface TenantRoom {
  tenant: string;
  room: number;
  /** Places in a lane. */
  perLane: number;
}

interface Rooms {
  lanes: ReadonlyMap<string, Lane>;
  health: Pick<EndpointHealth, 'remembered' | 'standingOf'>;
  inHand: Pick<JobsInHand, 'rooms' | 'isCrowded'>;
  limits: LanePlaces;
  placesIn(endpoint: EndpointRef, lane: Lane | undefined): LanePlaces;
}

/** A name that no tenant has: stands for any tenant that holds nothing. */
const newcomer = '';

export function rowRoomOf({ lanes, health, inHand, limits, placesIn }: Rooms): RowRoom {
  const rows = inHand.rooms.queued_rows;
  const endpoints = new Map<string, EndpointRef>();
  for (const endpoint of health.remembered()) endpoints.set(laneKey(endpoint), endpoint);
  for (const [key, { endpoint }] of lanes) endpoints.set(key, endpoint);
  const rooms = [...endpoints].map(([key, { tenant, endpointId }]): LaneRoom => {
    const lane = lanes.get(key);
    const room = placesIn({ tenant, endpointId }, lane).rows - (lane?.queued().rows ?? 0);
    return {
      tenant,
      endpointId,
      room: Math.max(0, room),
      early: isTrying(health.standingOf({ tenant, endpointId })),
    };
  });
  return {
    perLane: limits.rows,
    perTenant: rows.roomFor(newcomer),
    lanes: rooms.filter(({ room }) => room < limits.rows),
    tenants: [...rows.usage()].map(([tenant]) => ({
      tenant,
      room: rows.roomFor(tenant),
      perLane: rowsOfUnknown(limits, { rows: inHand.isCrowded(tenant, 'row') }),
    })),
    total: rows.free(),
  };
}
