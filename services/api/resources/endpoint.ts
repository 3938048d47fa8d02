import { endpointDefaults, type EndpointSettings } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { createResourceTable, type ResourceRow } from './resource-table.ts';
import { sealSecrets } from './stored-secrets.ts';

export interface EndpointRow extends ResourceRow {
  url: string;
  description: string;
  event_types: string[];
  source_ids: string[];
  settings: EndpointSettings;
  disabled_at: string | null;
  disabled_reason: string | null;
}

const columns = `id, url, description, event_types, source_ids, settings, revision, created_at, disabled_at, disabled_reason,
                 deleted_at`;

/** The dispatcher ends the open deliveries of an endpoint when it sees that it is deleted. */
export const endpoints = createResourceTable<EndpointRow>('endpoints', 'ep', columns);

/** All that deliveries may go to. */
export const openEndpoints = (postgres: Query, tenant: string): Promise<EndpointRow[]> =>
  postgres.query<EndpointRow>(
    `SELECT ${columns} FROM endpoints
      WHERE tenant = $1 AND deleted_at IS NULL AND disabled_at IS NULL
      ORDER BY id`,
    [tenant],
  );

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
  const { tenant, id, url, description, eventTypes, sourceIds, settings, secret } = endpoint;
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
      sealSecrets(secretBox, { table: 'endpoints', tenant, id }, [{ secret }]),
    ],
  );
  return row as EndpointRow;
}
