/**
 * Shares the database connections between tenants: a tenant that asks for hundreds at once gets at most 80 %, and the others find one free.
 * The request that asks for a connection names its tenant; the process's own statements never wait here.
 */
import { createSharedPlaces, type TenantUsage } from '#lib/tenancy';
import type { WaitingRequests } from './waiting-requests.ts';

export interface TenantConnections {
  /** For the pool: waits until the tenant of the current request may use a connection. */
  takeTurn(signal?: AbortSignal): Promise<() => void>;
  /** How many the tenant's requests use now. */
  held(tenant: string): number;
}

interface Options {
  connections: number;
  /** The tenant of the current request; undefined for the process's own work. */
  tenant(): string | undefined;
  waiting: WaitingRequests;
  usage: TenantUsage;
}

const nothingTaken = (): void => undefined;

export function createTenantConnections({
  connections,
  tenant: currentTenant,
  waiting,
  usage,
}: Options): TenantConnections {
  const places = createSharedPlaces({
    ...waiting,
    places: connections,
  });
  usage.showShare('database_connections', places.usage);
  waiting.show(places.waiting);
  return {
    held: places.held,
    async takeTurn(signal) {
      const tenant = currentTenant();
      return tenant === undefined ? nothingTaken : places.take(tenant, signal);
    },
  };
}
