/**
 * Shares the database connections between tenants: a tenant that asks for hundreds at once gets at most 80 %, and the others find one free.
 * The request that asks for a connection names its tenant; the process's own statements never wait here.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { createSharedPlaces, type TenantUsage } from '#lib/tenancy';
import type { WaitingRequests } from './waiting-requests.ts';

export interface TenantConnections {
  /** For the pool: waits until the tenant of the current request may use a connection. */
  takeTurn(): Promise<() => void>;
  /** Binds the work for a request to its tenant. Register it after the hook that identifies the caller. */
  follow(app: FastifyInstance): void;
}

interface Options {
  connections: number;
  waiting: WaitingRequests;
  usage: TenantUsage;
}

const nothingTaken = (): void => undefined;

export function createTenantConnections({ connections, waiting, usage }: Options): TenantConnections {
  const current = new AsyncLocalStorage<string>();
  const places = createSharedPlaces({
    ...waiting,
    places: connections,
  });
  usage.showShare('database_connections', places.usage);
  waiting.show(places.waiting);
  return {
    async takeTurn() {
      const tenant = current.getStore();
      return tenant === undefined ? nothingTaken : places.take(tenant);
    },
    follow(app) {
      // Reading the body ends in an event of the connection, which knows nothing of the request: so before it, and again after it.
      app.addHook('preParsing', (request, _reply, _payload, done) => current.run(request.tenant, done));
      app.addHook('preValidation', (request, _reply, done) => current.run(request.tenant, done));
    },
  };
}
