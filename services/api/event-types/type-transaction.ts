/**
 * A change of a tenant's event types: a transaction, one after the other for each tenant. What a change needs of names is decided by decide-names.ts;
 * here it is read and written, with the entries of the list of changes and of the audit.
 */
import type { FastifyRequest } from 'fastify';
import type { EventType } from '#lib/api-contract';
import type { KeptResponse } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import type { ProblemCode } from '#lib/problem';
import { AppError } from '#lib/runtime';
import type { LimitName } from '#lib/tenancy';
import type { AuditedChange } from '../audit/index.ts';
import { matches } from '../http/etag.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import type { Store } from '../resources/resource-table.ts';
import type { RouteDeps } from '../route.ts';
import { insertChanges, type NewChange } from './changes.ts';
import { decideNames, type KnownNames, type NameCommand, type NameRow } from './decide-names.ts';
import { type EventTypeRow, findEventType } from './queries.ts';
import { eventTypeOf } from './shown-types.ts';

type ChangeDeps = Pick<RouteDeps, 'clock' | 'random' | 'limits'>;

/** A transaction that holds the lock of the tenant's types. */
export interface Changing extends ChangeDeps {
  tx: Query;
  tenant: string;
  /** Writes the entry of the audit. */
  audit(change: AuditedChange): Promise<void>;
  /** Writes many entries by one statement. */
  audits(changes: readonly AuditedChange[]): Promise<void>;
}

/** The type that a request changes, by its name, and the only state in which it may. */
export interface Named {
  name: string;
  ifMatch: string | undefined;
}

/** `stale`: it was prepared against a version that is not the newest any more, so that nothing was written. */
export type Stale = { stale: true };

export type Refused = { refused: ProblemCode; detail?: string } | { errors: FieldErrors } | { limit: LimitName };

/** `isNew`: it was created. */
export type TypeChanged = { type: EventType; revision: number; isNew: boolean };

/**
 * @param deps those of the route
 * @param effects default: those of the request
 */
export async function changeTypes<T>(
  request: FastifyRequest,
  { clock, random, limits }: ChangeDeps,
  work: (changing: Changing) => Promise<T>,
  effects: Store = request.idempotent.effects,
): Promise<T> {
  const { tenant } = request;
  return effects.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`event-types/${tenant}`]);
    const audit = (change: AuditedChange) => request.audit(tx, change);
    const audits = (changes: readonly AuditedChange[]) => request.audits(tx, changes);
    return work({ clock, random, limits, tx, tenant, audit, audits });
  });
}

const maxTries = 3;

export interface Preparing<P, T extends object> {
  prepared: P;
  prepareAgain(): Promise<P>;
  work(changing: Changing, prepared: P): Promise<T | Stale>;
}

/**
 * A change whose request was prepared before it begins: a route with `inGroups`, so that no transaction waits for the preparation, not even that of an
 * idempotency key. It is prepared again if the type has got another version meanwhile.
 *
 * @returns the answer of its key, if another request has it
 * @throws AppError store_unavailable
 */
export async function changePrepared<P, T extends object>(
  request: FastifyRequest,
  deps: ChangeDeps,
  { prepared, prepareAgain, work }: Preparing<P, T>,
): Promise<{ answer: KeptResponse } | { result: T }> {
  const joined = await request.idempotent.join(async () => ({ kind: 'alone' }));
  if ('answer' in joined) return joined;
  let latest = prepared;
  for (let tries = 1; ; tries += 1) {
    const result = await changeTypes(request, deps, (changing) => work(changing, latest), joined.alone.effects);
    if (!('stale' in result)) return { result };
    if (tries === maxTries) throw new AppError('store_unavailable', 'the versions of the type change all the time');
    latest = await prepareAgain();
  }
}

/** The type that is called so now. */
export async function findLive(
  changing: Changing,
  { name, ifMatch }: Named,
): Promise<EventTypeRow | (Refused & { refused: ProblemCode })> {
  const { tx, tenant } = changing;
  const decided = await decide(changing, { do: 'change', name });
  if ('refused' in decided) return decided;
  const found = await findEventType(tx, tenant, name);
  if (found === undefined) return { refused: 'not_found' };
  return matches(ifMatch, found) ? found : { refused: 'precondition_failed' };
}

export async function decide({ tx, tenant }: Changing, command: NameCommand) {
  const about = [command.name, ...('to' in command ? [command.to] : []), ...('into' in command ? [command.into] : [])];
  const decision = decideNames(await readNames(tx, tenant, about), command);
  if (decision.kind === 'changed') return decision;
  const { code, detail } = decision;
  // A type that never was is answered alike, whatever its name.
  return code === 'not_found' ? { refused: code } : { refused: code, detail };
}

export async function readNames(tx: Query, tenant: string, names: readonly string[]): Promise<KnownNames> {
  const rows = await tx.query<{ name: string; type_id: string; kind: NameRow['kind']; retired: boolean }>(
    `SELECT n.name, n.type_id, n.kind, t.retired_at IS NOT NULL AS retired
       FROM event_type_names n
       JOIN event_types t ON t.tenant = n.tenant AND t.id = n.type_id
      WHERE n.tenant = $1
        AND n.type_id IN (SELECT type_id FROM event_type_names WHERE tenant = $1 AND name = ANY ($2))`,
    [tenant, names],
  );
  return {
    names: new Map(rows.map(({ name, type_id: typeId, kind }) => [name, { name, typeId, kind }])),
    retired: new Set(rows.filter(({ retired }) => retired).map(({ type_id }) => type_id)),
  };
}

/** In this order: a type never has two current names. */
export async function writeNames({ tx, tenant }: Changing, names: readonly NameRow[]): Promise<void> {
  for (const { name, typeId, kind } of names)
    await tx.query(
      `INSERT INTO event_type_names AS n (tenant, name, type_id, kind) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant, name) DO UPDATE
          SET type_id = $3, kind = $4, since = CASE WHEN n.kind = $4 THEN n.since ELSE clock_timestamp() END`,
      [tenant, name, typeId, kind],
    );
}

export async function set(
  { tx, tenant }: Changing,
  id: string,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const assignments = Object.keys(columns).map((column, index) => `${column} = $${index + 3}, `);
  await tx.query(
    `UPDATE event_types SET ${assignments.join('')}changed_at = clock_timestamp(), revision = revision + 1
      WHERE tenant = $1 AND id = $2`,
    [tenant, id, ...Object.values(columns)],
  );
}

/** Before a change of its names or its visibility, and after it: who could see the type under which name. */
export const noteAudience = ({ tx, tenant }: Changing, ...ids: readonly string[]): Promise<unknown> =>
  tx.query(
    `UPDATE event_type_names n
        SET visibility = CASE WHEN n.kind <> 'current' THEN coalesce(n.visibility, t.visibility)
                              WHEN 'public' IN (coalesce(n.visibility, 'internal'), t.visibility) THEN 'public'
                              WHEN 'portal' IN (coalesce(n.visibility, 'internal'), t.visibility) THEN 'portal'
                              ELSE 'internal' END
       FROM event_types t
      WHERE n.tenant = $1 AND n.type_id = ANY ($2) AND t.tenant = n.tenant AND t.id = n.type_id`,
    [tenant, ids],
  );

export const note = (changing: Changing, typeId: string, change: NewChange): Promise<void> =>
  insertChanges(changing, [{ ...change, typeId }]);

export async function unchanged({ tx, tenant }: Changing, row: EventTypeRow): Promise<TypeChanged> {
  return { type: await eventTypeOf(tx, tenant, row), revision: row.revision, isNew: false };
}

/** Reads the type as it is now, and writes the entry of the audit. @param before undefined: it was created */
export async function finish(changing: Changing, name: string, before?: EventType): Promise<TypeChanged> {
  const { tx, tenant } = changing;
  const row = (await findEventType(tx, tenant, name)) as EventTypeRow;
  await noteAudience(changing, row.id);
  const type = await eventTypeOf(tx, tenant, row);
  await changing.audit({
    id: before?.id ?? type.id,
    ...(before && { before: auditedType(before) }),
    after: auditedType(type),
  });
  return { type, revision: row.revision, isNew: before === undefined };
}

/** A type as an entry of the audit has it: versions stay, so their number says which schema and example it had. */
export function auditedType({ newest, ...type }: EventType): Record<string, unknown> {
  if (newest === null) return { ...type, newest };
  const { version, notes, compatibility, differences, published_at } = newest;
  return { ...type, newest: { version, notes, compatibility, differences, published_at } };
}

export async function limitOf(
  { tx, tenant, limits }: Changing,
  { types, bytes }: { types: number; bytes: number },
): Promise<LimitName | undefined> {
  const has = await countTypes(tx, tenant);
  if (types > 0 && has.types >= limits.of(tenant, 'event_types')) return 'event_types';
  return has.bytes + bytes > limits.of(tenant, 'event_type_bytes') ? 'event_type_bytes' : undefined;
}

/** How many types a tenant has, and their bytes, as its limits count them. */
export async function countTypes(query: Query, tenant: string): Promise<{ types: number; bytes: number }> {
  const [row] = await query.query<{ types: number; bytes: string }>(
    'SELECT count(*)::int AS types, coalesce(sum(bytes), 0) AS bytes FROM event_types WHERE tenant = $1',
    [tenant],
  );
  return { types: row?.types ?? 0, bytes: Number(row?.bytes ?? 0) };
}
