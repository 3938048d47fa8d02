import { endpointDefaults, type EndpointSettings, secretsContext, type StoredSecret } from '#lib/contract';
import { AppError } from '#lib/errors';
import type { SecretBox } from '#lib/secret-box';
import type { RetryPolicy } from './decide.ts';
import { microsOf } from './micros-of.ts';
import type { EndpointFacts } from './endpoint-health.ts';
import type { Pace } from './lane-places.ts';

/** An endpoint as the dispatcher works with it; instants in microseconds since the epoch. */
export interface Endpoint {
  tenant: string;
  id: string;
  url: string;
  /** Empty: all. */
  eventTypes: readonly string[];
  sourceIds: readonly string[];
  timeoutMs: number;
  maxInFlight: number;
  pace: Pace | undefined;
  retry: RetryPolicy;
  /** More than one while a secret is rotated. Empty where they can't be read: nothing is sent unsigned. */
  secrets: readonly { secret: string; expiresAt: number | null }[];
  /** Counts changes by people. */
  revision: number;
  createdAt: number;
  disabledAt: number | null;
  deletedAt: number | null;
}

export interface EndpointRow {
  tenant: string;
  id: string;
  url: string;
  event_types: string[];
  source_ids: string[];
  settings: EndpointSettings;
  secrets: Buffer;
  revision: number;
  created_at: string;
  changed_at: string;
  disabled_at: string | null;
  deleted_at: string | null;
}

export const endpointColumns =
  'tenant, id, url, event_types, source_ids, settings, secrets, revision, created_at, changed_at, disabled_at, deleted_at';

/** Deleted or disabled: what is on its way to it ends without being sent. */
export const isClosed = (endpoint: Endpoint): boolean => endpoint.deletedAt !== null || endpoint.disabledAt !== null;

/** One that is not known is closed to all deliveries: nothing is sent. */
export function factsOf(endpoint: Endpoint | undefined): EndpointFacts {
  if (endpoint === undefined) return { maxInFlight: 1, revision: 0, isClosed: true };
  return { maxInFlight: endpoint.maxInFlight, revision: endpoint.revision, isClosed: isClosed(endpoint) };
}

/** @param onUnreadable told why where the row's secrets do not open or are not what was sealed */
export function endpointOf(row: EndpointRow, secretBox: SecretBox, onUnreadable: (error: AppError) => void): Endpoint {
  const { settings } = row;
  const retry = { ...endpointDefaults.retry, ...settings.retry };
  return {
    tenant: row.tenant,
    id: row.id,
    url: row.url,
    eventTypes: row.event_types,
    sourceIds: row.source_ids,
    timeoutMs: settings.timeout_ms ?? endpointDefaults.timeout_ms,
    maxInFlight: settings.max_in_flight ?? endpointDefaults.max_in_flight,
    pace: settings.rate_limit && {
      perSecond: settings.rate_limit.per_second,
      burst: settings.rate_limit.burst,
    },
    retry: {
      baseMs: retry.base_seconds * 1_000,
      capMs: retry.cap_seconds * 1_000,
      windowMs: retry.window_seconds * 1_000,
      maxAttempts: retry.max_attempts ?? Number.POSITIVE_INFINITY,
    },
    secrets: secretsOf(row, secretBox, onUnreadable),
    revision: row.revision,
    createdAt: microsOf(row.created_at),
    disabledAt: row.disabled_at === null ? null : microsOf(row.disabled_at),
    deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
  };
}

function secretsOf(
  row: EndpointRow,
  secretBox: SecretBox,
  onUnreadable: (error: AppError) => void,
): Endpoint['secrets'] {
  try {
    const stored = JSON.parse(
      secretBox.open(row.secrets, secretsContext('endpoints', row.tenant, row.id)),
    ) as StoredSecret[];
    return stored.map(({ secret, expires_at }) => ({
      secret,
      expiresAt: expires_at === undefined ? null : microsOf(expires_at),
    }));
  } catch (error) {
    onUnreadable(new AppError('data_invalid', `the secrets of endpoint ${row.id} can’t be read`, { cause: error }));
    return [];
  }
}
