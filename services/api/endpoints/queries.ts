import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '#lib/api-contract';
import {
  endpointDefaults,
  type EndpointSettings,
  joinSettings,
  setHeadersFor,
  privateContext,
  type PrivateSettings,
  scheduleDefaults,
  splitSettings,
  type StoredEndpointSettings,
  type StoredPause,
  type StoredSecret,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import type { LimitName, TenantLimits } from '#lib/tenancy';
import type { FilterTable } from '../http/filters.ts';
import { type Caller, headerViewerOf } from '../keys/identify-caller.ts';
import { containsText } from '../resources/bounded-list.ts';
import { createResourceTable, type Named, type ResourceRow } from '../resources/resource-table.ts';
import { publicKeysOf, sealSecrets } from '../resources/stored-secrets.ts';
import { isFull, type Room, roomExpression, roomValues } from '../resources/tenant-room.ts';
import { shownCertificate } from './client-certificate.ts';

/** Settings of an endpoint. */
export interface EndpointContent extends Pick<
  Endpoint,
  'url' | 'description' | 'event_types' | 'source_ids' | 'filter'
> {
  settings: EndpointSettings;
}

type Times = 'effective_at' | 'disabled_at' | 'failing_since' | 'paused_at' | 'paused_until' | 'expires_at';
type Facts = 'public_keys' | 'disabled_reason' | 'url_by_portal' | 'filter_unjudged';

export interface EndpointRow extends ResourceRow, Omit<EndpointContent, 'settings'>, Pick<Endpoint, Times | Facts> {
  settings: StoredEndpointSettings;
}

const columns = `id, url, description, event_types, source_ids, filter, settings, revision, created_at,
  coalesce(effective_at, changed_at + interval '5 seconds') AS effective_at, disabled_at,
  disabled_reason, failing_since, deleted_at, expires_at, url_by_portal,
  CASE WHEN paused_until > clock_timestamp() THEN pauses->-1->>'from' END AS paused_at,
  CASE WHEN paused_until > clock_timestamp() THEN paused_until END AS paused_until,
  (SELECT jsonb_build_object('at', to_char(u.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'reason', u.reason)
     FROM unjudged_filters u WHERE u.tenant = endpoints.tenant AND u.endpoint_id = endpoints.id) AS filter_unjudged,
  ARRAY (SELECT one->>'key' FROM jsonb_array_elements(public_keys) WITH ORDINALITY AS listed (one, place)
          WHERE coalesce((one->>'expires_at')::timestamptz, 'infinity') > clock_timestamp()
          ORDER BY place) AS public_keys`;

interface Sealed {
  secrets: Buffer;
  private: Buffer | null;
  pauses: StoredPause[];
}

export type LockedEndpoint = EndpointRow & Sealed;

/** The dispatcher ends the open deliveries of an endpoint when it sees that it is deleted. */
export const endpointTable = createResourceTable<EndpointRow, Sealed>(
  'endpoints',
  'ep',
  columns,
  'secrets, private, pauses',
);

const subscriptionsAtOnce = 500;

/** A page of the subscriptions, after this endpoint id, in the order of ids. */
export const subscriptionsAfter = (
  postgres: Query,
  tenant: string,
  after: string,
): Promise<Pick<EndpointRow, 'id' | 'event_types' | 'source_ids' | 'filter'>[]> =>
  postgres.query(
    `SELECT id, event_types, source_ids, filter FROM endpoints
      WHERE tenant = $1 AND id > $2 AND NOT buried AND deleted_at IS NULL AND disabled_at IS NULL
      ORDER BY id
      LIMIT $3`,
    [tenant, after, subscriptionsAtOnce],
  );

/** The endpoint as the audit sees it, with defaults for unset fields and masks for secrets. */
export function auditedEndpoint(row: EndpointRow): Omit<Endpoint, 'effective_at'> {
  const { headers = {}, client_certificate: clientCertificate, ...settings } = row.settings;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.event_types,
    source_ids: row.source_ids,
    filter: row.filter,
    ...endpointDefaults,
    ...settings,
    // A value stored before its name counted as sensitive is not encrypted.
    headers: setHeadersFor('tenant', headers),
    ...(clientCertificate && { client_certificate: shownCertificate(clientCertificate.certificate) }),
    retry: effectiveRetry(row.settings.retry ?? {}),
    public_keys: row.public_keys,
    created_at: row.created_at,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since,
    paused_at: row.paused_at,
    paused_until: row.paused_until,
    expires_at: row.expires_at,
    url_by_portal: row.url_by_portal,
    filter_unjudged: row.filter_unjudged,
  };
}

/** The endpoint as this client sees it: headers, proxy and certificate are the operator's, and no customer's. */
export function endpointOf(row: EndpointRow, { session }: Pick<Caller, 'session'>): Endpoint {
  const { proxy, client_certificate: clientCertificate, ...audited } = auditedEndpoint(row);
  const shown = { ...audited, effective_at: row.effective_at };
  const viewer = headerViewerOf({ session });
  if (viewer === 'customer') return { ...shown, headers: setHeadersFor(viewer, row.settings.headers ?? {}) };
  return {
    ...shown,
    ...(proxy !== undefined && { proxy }),
    ...(clientCertificate !== undefined && { client_certificate: clientCertificate }),
  };
}

type Retry = NonNullable<EndpointSettings['retry']>;

const effectiveRetry = (retry: Retry): Retry =>
  'schedule' in retry ? { ...scheduleDefaults, ...retry } : { ...endpointDefaults.retry, ...retry };

/** Whether two contents are the same for everybody, defaults included, in what is masked too. */
export const isSameContent = (one: EndpointContent, other: EndpointContent): boolean =>
  isDeepStrictEqual(withDefaults(one), withDefaults(other));

/** Whether what is stored in plain has no header that counts as secret today: one that did not when it was set is sealed by the next change. */
export const isSealed = ({ settings: { headers = {} } }: Pick<EndpointRow, 'settings'>): boolean =>
  isDeepStrictEqual(setHeadersFor('tenant', headers), headers);

const withDefaults = ({ settings, ...content }: EndpointContent): object => ({
  ...content,
  settings: { ...endpointDefaults, ...settings, retry: effectiveRetry(settings.retry ?? {}) },
});

export interface NewEndpoint extends EndpointContent {
  tenant: string;
  id: string;
  secrets: readonly StoredSecret[];
  /** Seconds until it is deleted; undefined: never. */
  expires_in: number | undefined;
  urlByPortal: boolean;
}

/** Undefined: the tenant has reached a limit. */
export async function insertEndpoint(
  postgres: Query,
  secretBox: SecretBox,
  { tenant, id, secrets, expires_in: expiresIn, urlByPortal, ...content }: NewEndpoint,
  limits: TenantLimits,
): Promise<EndpointRow | undefined> {
  const [row] = await postgres.query<EndpointRow>(
    `WITH ${roomExpression('endpoints', 14)}
     INSERT INTO endpoints (tenant, id, url, description, event_types, source_ids, filter, settings, private, secrets,
                            public_keys, expires_at, url_by_portal, created_at, changed_at)
     SELECT tenant, $2, $3, $4, $5::text[], $6::text[], $7::jsonb, $8::jsonb, $9::bytea, $10::bytea, $11::jsonb,
            ${expiryAfter('$12')}, $13::boolean, clock_timestamp(), clock_timestamp()
       FROM room
     RETURNING ${columns}`,
    [
      tenant,
      id,
      ...contentValues(secretBox, { tenant, id }, content),
      ...secretsValues(secretBox, { tenant, id }, secrets),
      expiresIn ?? null,
      urlByPortal,
      ...roomValues(endpointRoom(tenant, limits)),
    ],
  );
  return row;
}

export const endpointRoom = (tenant: string, limits: TenantLimits): Room => ({ tenant, kind: 'endpoints', limits });

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

/** Settings of a row that `change` holds, its secrets included. */
export function openContent(secretBox: SecretBox, { tenant, id }: Named, row: LockedEndpoint): EndpointContent {
  const { url, description, event_types, source_ids, filter } = row;
  const hidden =
    row.private && (JSON.parse(secretBox.open(row.private, privateContext(tenant, id))) as PrivateSettings);
  return { url, description, event_types, source_ids, filter, settings: joinSettings(row.settings, hidden) };
}

const expiryAfter = (seconds: string): string => `clock_timestamp() + make_interval(secs => ${seconds}::integer)`;

/** @param seconds until it is deleted; null: never */
export const setExpiry = (tx: Query, named: Named, seconds: number | null): Promise<EndpointRow> =>
  endpointTable.note(tx, named, `expires_at = ${expiryAfter('$3')}`, [seconds]);

/** @param secrets set if they change too */
export function setContent(
  tx: Query,
  secretBox: SecretBox,
  named: Named,
  {
    content,
    urlByPortal,
    secrets,
  }: { content: EndpointContent; urlByPortal: boolean; secrets?: readonly StoredSecret[] | undefined },
): Promise<EndpointRow> {
  const assignments =
    'url = $3, description = $4, event_types = $5, source_ids = $6, filter = $7, settings = $8, private = $9, url_by_portal = $10';
  const values = [...contentValues(secretBox, named, content), urlByPortal];
  if (secrets === undefined) return endpointTable.set(tx, named, assignments, values);
  values.push(...secretsValues(secretBox, named, secrets));
  return endpointTable.set(tx, named, `${assignments}, secrets = $11, public_keys = $12`, values);
}

export const setSecrets = (
  tx: Query,
  secretBox: SecretBox,
  named: Named,
  secrets: readonly StoredSecret[],
): Promise<EndpointRow> =>
  endpointTable.set(tx, named, 'secrets = $3, public_keys = $4', secretsValues(secretBox, named, secrets));

export const setDisabled = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpointTable.set(tx, named, `disabled_at = clock_timestamp(), disabled_reason = 'by_request'`);

/** Enables the endpoint, whatever disabled it. A trigger resets its failing time, as after every change by a user. */
export const setEnabled = (tx: Query, named: Named): Promise<EndpointRow> =>
  endpointTable.set(tx, named, 'disabled_at = NULL, disabled_reason = NULL');

/**
 * The limit that forbids a change of an endpoint's subscription, which adds to its history. The row is locked. Disabling and deleting must
 * always be possible, and are not checked here; undoing them is.
 */
export async function limitOfChange(
  tx: Query,
  { tenant, id }: Named,
  limits: TenantLimits,
): Promise<LimitName | undefined> {
  const [row] = await tx.query<{ changes: number; bytes: number }>(
    'SELECT jsonb_array_length(history) AS changes, history_bytes AS bytes FROM endpoints WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  if ((row?.changes ?? 0) >= limits.of(tenant, 'endpoint_changes')) return 'endpoint_changes';
  if ((row?.bytes ?? 0) >= limits.of(tenant, 'endpoint_change_bytes')) return 'endpoint_change_bytes';
  return (await isFull(tx, endpointRoom(tenant, limits))) ? 'endpoint_bytes' : undefined;
}

/** The limit that forbids an update: that of a subscription change, or `endpoint_bytes` if the endpoint becomes larger. */
export async function limitOfUpdate(
  tx: Query,
  named: Named,
  { before, after, limits }: { before: EndpointContent; after: EndpointContent; limits: TenantLimits },
): Promise<LimitName | undefined> {
  const got = ({ event_types, source_ids, filter }: EndpointContent): unknown => [event_types, source_ids, filter];
  if (!isDeepStrictEqual(got(before), got(after))) return limitOfChange(tx, named, limits);
  const grows = JSON.stringify(after).length > JSON.stringify(before).length;
  return grows && (await isFull(tx, endpointRoom(named.tenant, limits))) ? 'endpoint_bytes' : undefined;
}

/** The filters of `GET /v1/endpoints`. Conditions are on columns of `endpoints`; a tenant has a limited number of them. */
export const filters = {
  status: {
    condition: (status) =>
      `CASE ${status} WHEN 'disabled' THEN disabled_at IS NOT NULL
                      WHEN 'paused' THEN disabled_at IS NULL AND coalesce(paused_until > clock_timestamp(), false)
                      ELSE disabled_at IS NULL END`,
  },
  failing: {
    condition: (failing) => `(failing_since IS NOT NULL) = ${failing}::boolean`,
  },
  q: {
    condition: (text) => containsText(['url', 'description'], text),
  },
} satisfies FilterTable;
