import type { AuditEntry } from '#lib/api-contract';
import { ifDeleted, TenantDeleted } from '#lib/erasure';
import type { Query } from '#lib/postgres';
import { formatMicros, timeOfId } from '#lib/runtime';
import { bindTo, filterConditions, type Filtering, type FilterTable, readInstant } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { operatorCredential } from '../keys/operator-keys.ts';
import { idPattern } from '../resources/ids.ts';

export interface NewEntry {
  tenant: string;
  id: string;
  credential: string;
  sessionId: string | null;
  action: string;
  resourceId: string;
  before: unknown;
  after: unknown;
  requestId: string;
}

interface AuditRow extends Omit<AuditEntry, 'actor'> {
  credential: string;
  session_id: string | null;
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** @throws TenantDeleted: a request may have been let in before the deletion */
export async function insertEntry(tx: Query, entry: NewEntry): Promise<void> {
  const { tenant, id, credential, sessionId, action, resourceId, before, after, requestId } = entry;
  const deleted = await tx.query(
    `WITH written AS (
       INSERT INTO audit (tenant, id, at, credential, session_id, action, resource_id, before, after, request_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     )
     ${ifDeleted('$1')}`,
    [tenant, id, instantOf(id), credential, sessionId, action, resourceId, jsonOf(before), jsonOf(after), requestId],
    'audit_insert',
  );
  if (deleted.length > 0) throw new TenantDeleted(tenant);
}

/** Entries of one tenant, by one statement. @throws TenantDeleted */
export async function insertEntries(tx: Query, tenant: string, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    id: entry.id,
    at: instantOf(entry.id),
    credential: entry.credential,
    session_id: entry.sessionId,
    action: entry.action,
    resource_id: entry.resourceId,
    request_id: entry.requestId,
    before: jsonOf(entry.before),
    after: jsonOf(entry.after),
  }));
  const deleted = await tx.query(
    `WITH written AS (
       INSERT INTO audit (tenant, id, at, credential, session_id, action, resource_id, before, after, request_id)
       SELECT $1, id, at, credential, session_id, action, resource_id, before::jsonb, after::jsonb, request_id
         FROM jsonb_to_recordset($2::jsonb) AS r (id text, at timestamptz, credential text, session_id text, action text, resource_id text,
                before text, after text, request_id text)
     )
     ${ifDeleted('$1')}`,
    [tenant, JSON.stringify(rows)],
  );
  if (deleted.length > 0) throw new TenantDeleted(tenant);
}

/** The entry as clients see it. */
export function entryOf({ credential, session_id, ...row }: AuditRow): AuditEntry {
  const type: AuditEntry['actor']['type'] =
    session_id !== null ? 'session' : credential === operatorCredential ? 'operator' : 'key';
  return { ...row, actor: { type, id: session_id ?? credential, key_id: credential } };
}

export const entryId = idPattern('aud');
const sessionId = idPattern('ses');

export const filters = {
  actor: { condition: (value) => `credential = ${value}` },
  action: { condition: (value) => `action = ${value}` },
  resource: { condition: (value) => `resource_id = ${value}` },
  since: { read: readInstant, condition: (value) => `at >= ${value}::timestamptz` },
  until: { read: readInstant, condition: (value) => `at < ${value}::timestamptz` },
} as const satisfies FilterTable;

export type AuditFilter = Filtering<typeof filters>;

/** The newest first. One more than the page holds. */
export function listEntries(
  postgres: Query,
  tenant: string,
  { actor, ...filter }: AuditFilter,
  { after, limit }: PageRequest,
): Promise<AuditRow[]> {
  const values: unknown[] = [tenant];
  const conditions = ['tenant = $1', ...filterConditions(filters, filter, bindTo(values))];
  if (actor !== undefined)
    conditions.push(`${sessionId.test(actor) ? 'session_id' : 'credential'} = $${values.push(actor)}`);
  if (after !== null)
    conditions.push(`(at, id) < ($${values.push(instantOf(after))}::timestamptz, $${values.push(after)})`);
  return postgres.query<AuditRow>(
    `SELECT id, at, credential, session_id, action, resource_id, before, after, request_id
       FROM audit
      WHERE ${conditions.join(' AND ')}
      ORDER BY at DESC, id DESC
      LIMIT $${values.push(limit + 1)}`,
    values,
  );
}

/** An entry has the time of its id. */
const instantOf = (id: string): string => formatMicros((timeOfId(id) ?? 0) * 1_000);
