/**
 * The audit of who changed what: a row for each change, written in the transaction of the change, so that one never is without the other. A
 * route names its action in `config.audit`, and its handler calls `request.audit` where it has the transaction:
 *
 *   config: { operation, audit: 'source.delete' }
 *   await request.audit(tx, { id, before: sourceJson(row) });
 *
 * The handler passes what a client sees of a resource; `conceal` takes out what an entry must not keep.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '#lib/clock';
import { AppError } from '#lib/errors';
import { createId, type RandomBytes } from '#lib/ids';
import type { Query } from '#lib/postgres';
import type { EncryptionKey } from '#lib/secret-box';
import { keyIdOf } from '../keys/identify-caller.ts';
import { insertAuditEntries, insertAuditEntry, type NewAuditEntry } from '../resources/audit-entry.ts';
import { changedFields, type Fields } from './changed-fields.ts';
import { createConceal } from './conceal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The action of the route's entries, `<resource>.<verb>`; or why it has none. Every route that is not a GET has it (a test). */
    audit?: `${string}.${string}` | { none: string };
  }
  interface FastifyRequest {
    /** Writes the entry of a change, in the transaction of the change. */
    audit(tx: Query, change: AuditedChange): Promise<void>;
    /** Writes those of many changes of the request's tenant, by one statement. */
    audits(tx: Query, changes: readonly Omit<AuditedChange, 'tenant'>[]): Promise<void>;
  }
}

export interface AuditedChange {
  /** The resource that was changed. */
  id: string;
  /** As clients see it; absent for a creation. */
  before?: Fields;
  /** As clients see it; absent for a deletion. Of an order such as a replay: what it asked for, and what it started. */
  after?: Fields;
  /** Whose audit it goes to. Default: the tenant of the request. */
  tenant?: string;
  /** The one who changed it. Default: the caller. */
  actor?: Actor;
}

interface Actor {
  credential: string;
  sessionId: string | null;
}

interface Deps {
  encryptionKeys: readonly EncryptionKey[];
  clock: Clock;
  random: RandomBytes;
}

/** Gives every request its `audit`. */
export function auditRequests(app: FastifyInstance, { encryptionKeys, clock, random }: Deps): void {
  const conceal = createConceal(encryptionKeys);
  function entryOf(request: FastifyRequest, change: AuditedChange): NewAuditEntry {
    const { id, tenant = request.tenant, actor = actorOf(request) } = change;
    const { audit: action } = request.routeOptions.config;
    if (typeof action !== 'string')
      throw new AppError('bug', `${request.method} ${request.routeOptions.url} names no action for its audit entry`);
    const [before, after] = changedFields(change.before ?? null, change.after ?? null);
    return {
      tenant,
      id: createId('aud', clock.nowMs(), random),
      ...actor,
      action,
      resourceId: id,
      before: conceal(tenant, before),
      after: conceal(tenant, after),
      requestId: request.id,
    };
  }
  app.decorateRequest('audit', function audit(this: FastifyRequest, tx, change) {
    return insertAuditEntry(tx, entryOf(this, change));
  });
  app.decorateRequest('audits', function audits(this: FastifyRequest, tx, changes) {
    return insertAuditEntries(
      tx,
      this.tenant,
      changes.map((change) => entryOf(this, change)),
    );
  });
}

const actorOf = ({ caller }: FastifyRequest): Actor => ({
  credential: keyIdOf(caller),
  sessionId: caller.session?.id ?? null,
});
