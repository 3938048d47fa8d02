import {
  secretsContext,
  sourceDefaults,
  type SourceScheme,
  type SourceSettings,
  type StoredSecret,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import type { PageRequest } from '../paging.ts';
import { idPattern } from './ids.ts';

export interface SourceRow {
  id: string;
  name: string;
  scheme: SourceScheme;
  settings: SourceSettings;
  created_at: string;
  deleted_at: string | null;
}

export const sourceId = idPattern('src');
const columns = 'id, name, scheme, settings, created_at, deleted_at';

/** The source as clients see it: what was not set shows its default, or is left to the scheme and absent. */
export function sourceJson(row: SourceRow, ingressUrl: string): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    scheme: row.scheme,
    ingest_url: `${ingressUrl}/v1/webhooks/${row.id}`,
    ...sourceDefaults,
    ...row.settings,
    created_at: row.created_at,
  };
}

export interface NewSource {
  tenant: string;
  id: string;
  name: string;
  scheme: SourceScheme;
  settings: SourceSettings;
  secret: string;
}

export async function insertSource(postgres: Query, secretBox: SecretBox, source: NewSource): Promise<SourceRow> {
  const { tenant, id, name, scheme, settings } = source;
  const secrets: StoredSecret[] = [{ secret: source.secret }];
  const [row] = await postgres.query<SourceRow>(
    `INSERT INTO sources (tenant, id, name, scheme, settings, secrets, created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp())
     RETURNING ${columns}`,
    [
      tenant,
      id,
      name,
      scheme,
      JSON.stringify(settings),
      secretBox.seal(JSON.stringify(secrets), secretsContext('sources', tenant, id)),
    ],
  );
  return row as SourceRow;
}

/** A deleted source is found too. */
export async function findSource(postgres: Query, tenant: string, id: string): Promise<SourceRow | undefined> {
  if (!sourceId.test(id)) return undefined;
  const [row] = await postgres.query<SourceRow>(`SELECT ${columns} FROM sources WHERE tenant = $1 AND id = $2`, [
    tenant,
    id,
  ]);
  return row;
}

export function listSources(postgres: Query, tenant: string, { after, limit }: PageRequest): Promise<SourceRow[]> {
  return postgres.query<SourceRow>(
    `SELECT ${columns} FROM sources
      WHERE tenant = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR id > $2)
      ORDER BY id
      LIMIT $3`,
    [tenant, after, limit + 1],
  );
}

/** @returns false where there is nothing to delete: it never existed, or is deleted already */
export async function deleteSource(postgres: Query, tenant: string, id: string): Promise<boolean> {
  if (!sourceId.test(id)) return false;
  const deleted = await postgres.query(
    `UPDATE sources SET deleted_at = clock_timestamp(), changed_at = clock_timestamp()
      WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL
      RETURNING id`,
    [tenant, id],
  );
  return deleted.length > 0;
}

/** Which of these are no sources of the tenant; of another tenant's nothing is told. */
export async function unknownSources(postgres: Query, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(ids);
  const possible = ids.filter((id) => sourceId.test(id));
  if (possible.length === 0) return unknown;
  const rows = await postgres.query<{ id: string }>(
    'SELECT id FROM sources WHERE tenant = $1 AND id = ANY ($2::text[]) AND deleted_at IS NULL',
    [tenant, possible],
  );
  for (const { id } of rows) unknown.delete(id);
  return unknown;
}
