/**
 * The request that a statement is for: the pool asks for its tenant, and whether anybody waits for the answer still.
 *
 * | request                                            | when its client leaves                            |
 * |----------------------------------------------------|---------------------------------------------------|
 * | GET, HEAD                                          | its statements end, and no further one is sent    |
 * | dry run                                            | the same, while its handler runs; it rolls back   |
 * | every other, with or without an idempotency key    | goes on to its end: it is carried out or it isn't |
 *
 * Work that several requests share must run outside of them all (`AsyncLocalStorage.snapshot` at the start of the process): it would end with
 * the one that happened to begin it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientLeft } from '#lib/net';

interface Current {
  tenant: string;
  signal: AbortSignal | undefined;
}

export interface CurrentRequest {
  /** Undefined for work of the process's own. */
  tenant(): string | undefined;
  /** For the pool: aborts when nobody waits for the answer. Undefined for what is carried out in any case. */
  signal(): AbortSignal | undefined;
  /** Binds the work for a request to it. Register it after the hook that identifies the caller. */
  follow(app: FastifyInstance): void;
}

export function createCurrentRequest(): CurrentRequest {
  const storage = new AsyncLocalStorage<Current>();
  const currents = new WeakMap<FastifyRequest, Current>();

  function currentOf(request: FastifyRequest, reply: FastifyReply): Current {
    let current = currents.get(request);
    if (current === undefined) {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      current = { tenant: request.tenant, signal: isRead ? clientLeft(reply) : undefined };
      currents.set(request, current);
    }
    return current;
  }

  return {
    tenant: () => storage.getStore()?.tenant,
    signal: () => storage.getStore()?.signal,
    follow(app) {
      // Reading the body ends in an event of the connection, which knows nothing of the request: so before it, and again after it.
      app.addHook('preParsing', (request, reply, _payload, done) => storage.run(currentOf(request, reply), done));
      app.addHook('preValidation', (request, reply, done) => storage.run(currentOf(request, reply), done));
      app.addHook('preHandler', (request, reply, done) => {
        if (isDryRun(request)) currentOf(request, reply).signal = clientLeft(reply);
        done();
      });
      // The record of an idempotency key is not left half-way.
      app.addHook('onSend', (request, reply, payload, done) => {
        if (isDryRun(request)) currentOf(request, reply).signal = undefined;
        done(null, payload);
      });
    },
  };
}

/** A route whose dry run needs a smaller scope changes nothing then. */
const isDryRun = (request: FastifyRequest): boolean =>
  request.routeOptions.config.dryRunScope !== undefined && asksDryRun(request);

export const asksDryRun = ({ body }: Pick<FastifyRequest, 'body'>): boolean =>
  (body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
