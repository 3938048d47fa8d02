import {
  endpointDefaults,
  type EndpointSettings,
  joinSettings,
  maskHeaders,
  privateContext,
  type PrivateSettings,
  scheduleDefaults,
  splitSettings,
  type StoredEndpointSettings,
  type StoredSecret,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { shownCertificate } from '../client-certificate.ts';
import { createResourceTable, type Named, type ResourceRow } from './resource-table.ts';
import { publicKeysOf, sealSecrets } from './stored-secrets.ts';

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

export interface EndpointRow extends ResourceRow, Omit<EndpointContent, 'settings'> {
  settings: StoredEndpointSettings;
  /** In force, the newest first. */
  public_keys: string[];
  disabled_at: string | null;
  disabled_reason: string | null;
  failing_since: string | null;
}

const columns = `id, url, description, event_types, source_ids, filter, settings, revision, created_at, disabled_at,
  disabled_reason, failing_since, deleted_at,
  ARRAY (SELECT one->>'key' FROM jsonb_array_elements(public_keys) WITH ORDINALITY AS listed (one, place)
          WHERE coalesce((one->>'expires_at')::timestamptz, 'infinity') > clock_timestamp()
          ORDER BY place) AS public_keys`;

interface Sealed {
  secrets: Buffer;
  private: Buffer | null;
}

/** The dispatcher ends the open deliveries of an endpoint when it sees that it is deleted. */
export const endpoints = createResourceTable<EndpointRow, Sealed>('endpoints', 'ep', columns, 'secrets, private');

/** All that deliveries may go to. */
export const openEndpoints = (postgres: Query, tenant: string): Promise<EndpointRow[]> =>
  postgres.query<EndpointRow>(
    `SELECT ${columns} FROM endpoints
      WHERE tenant = $1 AND deleted_at IS NULL AND disabled_at IS NULL
      ORDER BY id`,
    [tenant],
  );

/** The endpoint as clients see it, with the defaults of what was not set, and masks for what is secret. */
export function endpointJson(row: EndpointRow): Record<string, unknown> {
  const { headers = {}, client_certificate: clientCertificate } = row.settings;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.event_types,
    source_ids: row.source_ids,
    filter: row.filter,
    ...endpointDefaults,
    ...row.settings,
    // One that was set before its name counted as sensitive stands there as it is.
    headers: maskHeaders(headers),
    ...(clientCertificate && { client_certificate: shownCertificate(clientCertificate.certificate) }),
    retry: effectiveRetry(row.settings.retry ?? {}),
    public_keys: row.public_keys,
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
  secrets: readonly StoredSecret[];
}

export async function insertEndpoint(
  postgres: Query,
  secretBox: SecretBox,
  { tenant, id, secrets, ...content }: NewEndpoint,
): Promise<EndpointRow> {
  const [row] = await postgres.query<EndpointRow>(
    `INSERT INTO endpoints (tenant, id, url, description, event_types, source_ids, filter, settings, private, secrets,
                            public_keys, created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp(), clock_timestamp())
     RETURNING ${columns}`,
    [
      tenant,
      id,
      ...contentValues(secretBox, { tenant, id }, content),
      ...secretsValues(secretBox, { tenant, id }, secrets),
    ],
  );
  return row as EndpointRow;
}

function contentValues(secretBox: SecretBox, { tenant, id }: Named, content: EndpointContent): unknown[] {
  const { url, description, event_types, source_ids, filter } = content;
  const { settings, private: hidden } = splitSettings(content.settings);
  return [
    url,
    description,
    event_types,
    source_ids,
    filter === null ? null : JSON.stringify(filter),
    JSON.stringify(settings),
    hidden === null ? null : secretBox.seal(JSON.stringify(hidden), privateContext(tenant, id)),
  ];
}

const secretsValues = (secretBox: SecretBox, { tenant, id }: Named, secrets: readonly StoredSecret[]): unknown[] => [
  sealSecrets(secretBox, { table: 'endpoints', tenant, id }, secrets),
  JSON.stringify(publicKeysOf(secrets)),
];

/** What people have set of a row that `change` holds, its secrets included. */
export function openContent(secretBox: SecretBox, { tenant, id }: Named, row: EndpointRow & Sealed): EndpointContent {
  const { url, description, event_types, source_ids, filter } = row;
  const hidden =
    row.private && (JSON.parse(secretBox.open(row.private, privateContext(tenant, id))) as PrivateSettings);
  return { url, description, event_types, source_ids, filter, settings: joinSettings(row.settings, hidden) };
}

/** @param secrets where they change with it */
export function setContent(
  tx: Query,
  secretBox: SecretBox,
  named: Named,
  { content, secrets }: { content: EndpointContent; secrets?: readonly StoredSecret[] | undefined },
): Promise<EndpointRow> {
  const assignments =
    'url = $3, description = $4, event_types = $5, source_ids = $6, filter = $7, settings = $8, private = $9';
  const values = contentValues(secretBox, named, content);
  return secrets === undefined
    ? endpoints.set(tx, named, assignments, values)
    : endpoints.set(tx, named, `${assignments}, secrets = $10, public_keys = $11`, [
        ...values,
        ...secretsValues(secretBox, named, secrets),
      ]);
}

export const setSecrets = (
  tx: Query,
  secretBox: SecretBox,
  named: Named,
  secrets: readonly StoredSecret[],
): Promise<EndpointRow> =>
  endpoints.set(tx, named, 'secrets = $3, public_keys = $4', secretsValues(secretBox, named, secrets));

export const disable = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpoints.set(tx, named, `disabled_at = clock_timestamp(), disabled_reason = 'by_request'`);

/** Whatever had disabled it. Since when it fails is found out anew, as after every change by people: a trigger sees to it. */
export const enable = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpoints.set(tx, named, 'disabled_at = NULL, disabled_reason = NULL');
