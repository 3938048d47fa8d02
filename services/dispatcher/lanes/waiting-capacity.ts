import { inTurns } from '#lib/runtime';
import { type EndpointHealth, isTrying, type Standing } from '../endpoints/endpoint-health.ts';
import { type EndpointRef, laneKey } from '../model/job.ts';
import type { JobsInHand } from './jobs-in-hand.ts';
import { type LanePlaces, rowsOfUnknown } from './lane-places.ts';
import type { Lane } from './lane.ts';

/** Places for deliveries that have waited. */
export interface WaitingCapacity {
  /** Defaults for a lane and a tenant that are not listed below. */
  perLane: number;
  perTenant: number;
  lanes: LaneCapacity[];
  tenants: TenantCapacity[];
  total: number;
}

export interface LaneCapacity {
  tenant: string;
  endpointId: string;
  room: number;
  early: boolean;
}

export interface TenantCapacity {
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
  placesIn(endpoint: EndpointRef, lane: Lane | undefined, standing: Standing): LanePlaces;
}

/** A name that no tenant has: stands for any tenant that holds nothing. */
const newcomer = '';

/** A tenant may have ten thousand endpoints: a few milliseconds, then other work. */
export const lanesPerTurn = 500;

export async function waitingCapacityOf({ lanes, health, inHand, limits, placesIn }: Rooms): Promise<WaitingCapacity> {
  const rows = inHand.rooms.queued_rows;
  const endpoints = new Map<string, EndpointRef>();
  for (const endpoint of health.remembered()) endpoints.set(laneKey(endpoint), endpoint);
  for (const [key, { endpoint }] of lanes) endpoints.set(key, endpoint);
  const found: LaneCapacity[] = [];
  for await (const some of inTurns([...endpoints], lanesPerTurn))
    for (const [key, { tenant, endpointId }] of some) {
      const lane = lanes.get(key);
      const standing = health.standingOf({ tenant, endpointId });
      const places = placesIn({ tenant, endpointId }, lane, standing).rows - (lane?.queued().rows ?? 0);
      found.push({ tenant, endpointId, room: Math.max(0, places), early: isTrying(standing) });
    }
  const tenants = [...rows.usage()].map(([tenant]) => ({
    tenant,
    room: rows.roomFor(tenant),
    perLane: rowsOfUnknown(limits, { rows: inHand.isCrowded(tenant, 'row') }),
  }));
  const perLaneOf = new Map(tenants.map(({ tenant, perLane }) => [tenant, perLane]));
  return {
    perLane: limits.rows,
    perTenant: rows.roomFor(newcomer),
    lanes: found.filter(({ tenant, room, early }) => early || room < (perLaneOf.get(tenant) ?? limits.rows)),
    tenants,
    total: rows.free(),
  };
}
