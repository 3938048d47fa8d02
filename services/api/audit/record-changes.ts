/**
 * The audit of who changed what: a row for each change, written in the transaction of the change, so that one never is without the other. A
 * route names its action in `config.audit`, and its handler calls `request.audit` where it has the transaction:
 *
 *   config: { operation, audit: 'source.delete' }
 *   await request.audit(tx, { id, before: sourceJson(row) });
 *
 * The handler passes what a client sees of a resource; `conceal` takes out what an entry must not keep.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSensitiveHeader } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { AppError, type Clock, createId, type RandomBytes } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';
import { keyIdOf } from '../keys/identify-caller.ts';
import { createConceal } from './conceal.ts';
import { insertEntries, insertEntry, type NewEntry } from './queries.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Writes the entry of a change, in the transaction of the change. */
    audit(tx: Query, change: AuditedChange): Promise<void>;
    /** Writes those of many changes of the request's tenant, by one statement. */
    audits(tx: Query, changes: readonly Omit<AuditedChange, 'tenant'>[]): Promise<void>;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

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
  function entryOf(request: FastifyRequest, change: AuditedChange): NewEntry {
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
    return insertEntry(tx, entryOf(this, change));
  });
  app.decorateRequest('audits', function audits(this: FastifyRequest, tx, changes) {
    return insertEntries(
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

/** The fields that differ, as they were and as they are. A creation and a deletion have one side only, which is whole. */
export function changedFields(before: Fields | null, after: Fields | null): [Fields | null, Fields | null] {
  if (before === null || after === null) return [before, after];
  const names = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const only = (fields: Fields): Fields =>
    Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  return [only(before), only(after)];
}

interface Secretive {
  headers?: Readonly<Record<string, string>> | undefined;
  proxy?: unknown;
  client_certificate?: unknown;
  verify_token?: unknown;
}

/** The settings whose values have secrets and changed, by name: both of their sides look the same in an entry. */
export function maskedChanges(before: Secretive, after: Secretive): { masked_changes?: string[] } {
  const settings = (['proxy', 'client_certificate', 'verify_token'] as const).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const [was, is] = [before.headers ?? {}, after.headers ?? {}];
  const headers = Object.keys({ ...was, ...is }).filter((name) => isSensitiveHeader(name) && was[name] !== is[name]);
  const changes = [...settings, ...headers.map((name) => `headers/${name}`)];
  return changes.length === 0 ? {} : { masked_changes: changes };
}
