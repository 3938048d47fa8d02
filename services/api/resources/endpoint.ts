import { endpointDefaults, type EndpointSettings, secretsContext, type StoredSecret } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import type { PageRequest } from '../paging.ts';
import { idPattern } from './ids.ts';

export interface EndpointRow {
  id: string;
  url: string;
  description: string;
  event_types: string[];
  source_ids: string[];
  settings: EndpointSettings;
  created_at: string;
  disabled_at: string | null;
  disabled_reason: string | null;
  deleted_at: string | null;
}

export const endpointId = idPattern('ep');
const columns =
  'id, url, description, event_types, source_ids, settings, created_at, disabled_at, disabled_reason, deleted_at';

/** The endpoint as clients see it, with the defaults of what was not set. */
export function endpointJson(row: EndpointRow): Record<string, unknown> {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.event_types,
    source_ids: row.source_ids,
    ...endpointDefaults,
    ...row.settings,
    retry: { ...endpointDefaults.retry, ...row.settings.retry },
    created_at: row.created_at,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
  };
}

export interface NewEndpoint {
  tenant: string;
  id: string;
  url: string;
  description: string;
  eventTypes: readonly string[];
  sourceIds: readonly string[];
  settings: EndpointSettings;
  secret: string;
}

export async function insertEndpoint(
  postgres: Query,
  secretBox: SecretBox,
  endpoint: NewEndpoint,
): Promise<EndpointRow> {
  const { tenant, id, url, description, eventTypes, sourceIds, settings } = endpoint;
  const secrets: StoredSecret[] = [{ secret: endpoint.secret }];
  const [row] = await postgres.query<EndpointRow>(
    `INSERT INTO endpoints (tenant, id, url, description, event_types, source_ids, settings, secrets,
                            created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), clock_timestamp())
     RETURNING ${columns}`,
    [
      tenant,
      id,
      url,
      description,
      eventTypes,
      sourceIds,
      JSON.stringify(settings),
      secretBox.seal(JSON.stringify(secrets), secretsContext('endpoints', tenant, id)),
    ],
  );
  return row as EndpointRow;
}

/** A deleted endpoint is found too. */
export async function findEndpoint(postgres: Query, tenant: string, id: string): Promise<EndpointRow | undefined> {
  if (!endpointId.test(id)) return undefined;
  const [row] = await postgres.query<EndpointRow>(`SELECT ${columns} FROM endpoints WHERE tenant = $1 AND id = $2`, [
    tenant,
    id,
  ]);
  return row;
}

export function listEndpoints(postgres: Query, tenant: string, { after, limit }: PageRequest): Promise<EndpointRow[]> {
  return postgres.query<EndpointRow>(
    `SELECT ${columns} FROM endpoints
      WHERE tenant = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR id > $2)
      ORDER BY id
      LIMIT $3`,
    [tenant, after, limit + 1],
  );
}

/**
 * The dispatcher ends the open deliveries of an endpoint when it sees that it is deleted.
 *
 * @returns false where there is nothing to delete: it never existed, or is deleted already
 */
export async function deleteEndpoint(postgres: Query, tenant: string, id: string): Promise<boolean> {
  if (!endpointId.test(id)) return false;
  const deleted = await postgres.query(
    `UPDATE endpoints
        SET deleted_at = clock_timestamp(), changed_at = clock_timestamp(), revision = revision + 1
      WHERE tenant = $1 AND id = $2 AND deleted_at IS NULL
      RETURNING id`,
    [tenant, id],
  );
  return deleted.length > 0;
}
