import { endpointDefaults, type EndpointSettings, scheduleDefaults } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { createResourceTable, type Named, type ResourceRow } from './resource-table.ts';
import { sealSecrets } from './stored-secrets.ts';

/** What people set of an endpoint. */
export interface EndpointContent {
  url: string;
  description: string;
  event_types: string[];
  source_ids: string[];
  /** Null: every payload. */
  filter: unknown;
  settings: EndpointSettings;
}

export interface EndpointRow extends ResourceRow, EndpointContent {
  disabled_at: string | null;
  disabled_reason: string | null;
  failing_since: string | null;
}

const columns = `id, url, description, event_types, source_ids, filter, settings, revision, created_at, disabled_at,
                 disabled_reason, failing_since, deleted_at`;

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
    filter: row.filter,
    ...endpointDefaults,
    ...row.settings,
    retry: effectiveRetry(row.settings.retry ?? {}),
    created_at: row.created_at,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since,
  };
}

const effectiveRetry = (retry: NonNullable<EndpointSettings['retry']>): EndpointSettings['retry'] =>
  'schedule' in retry ? { ...scheduleDefaults, ...retry } : { ...endpointDefaults.retry, ...retry };

export interface NewEndpoint extends EndpointContent {
  tenant: string;
  id: string;
  secret: string;
}

export async function insertEndpoint(
  postgres: Query,
  secretBox: SecretBox,
  { tenant, id, secret, ...content }: NewEndpoint,
): Promise<EndpointRow> {
  const [row] = await postgres.query<EndpointRow>(
    `INSERT INTO endpoints (tenant, id, url, description, event_types, source_ids, filter, settings, secrets,
                            created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), clock_timestamp())
     RETURNING ${columns}`,
    [tenant, id, ...contentValues(content), sealSecrets(secretBox, { table: 'endpoints', tenant, id }, [{ secret }])],
  );
  return row as EndpointRow;
}

const contentValues = ({ url, description, event_types, source_ids, filter, settings }: EndpointContent): unknown[] => [
  url,
  description,
  event_types,
  source_ids,
  filter === null ? null : JSON.stringify(filter),
  JSON.stringify(settings),
];

export const setContent = (tx: Query, named: Named, content: EndpointContent): Promise<EndpointRow> =>
  endpoints.set(
    tx,
    named,
    'url = $3, description = $4, event_types = $5, source_ids = $6, filter = $7, settings = $8',
    contentValues(content),
  );

export const disable = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpoints.set(tx, named, `disabled_at = clock_timestamp(), disabled_reason = 'by_request'`);

/** Whatever had disabled it. Since when it fails is found out anew, as after every change by people: a trigger sees to it. */
export const enable = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpoints.set(tx, named, 'disabled_at = NULL, disabled_reason = NULL');
