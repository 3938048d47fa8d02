/** Places for deliveries that have waited. */
export interface RowRoom {
  /** In one lane, and for one tenant, where nothing else is said. */
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
