import {
  endpointDefaults,
  type EndpointSettings,
  type PastSubscription,
  scheduleDefaults,
  secretsContext,
  type StoredSecret,
  type Subscription,
} from '#lib/contract';
import { AppError, toAppError } from '#lib/errors';
import { compileFilter, type EventFilter } from '#lib/event-filter';
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
  subscription: EndpointSubscription;
  /** What it was before each change, oldest first. */
  past: readonly (EndpointSubscription & { until: number })[];
  timeoutMs: number;
  maxInFlight: number;
  ordered: boolean;
  pace: Pace | undefined;
  retry: RetryPolicy;
  /** More than one while a secret is rotated. Empty where they can't be read: nothing is sent unsigned. */
  secrets: readonly { secret: string; expiresAt: number | null }[];
  /** Counts changes by people. */
  revision: number;
  createdAt: number;
  /** Grows with every change, not by people alone. */
  changedAt: number;
  /** Nothing that was sent since then was taken. */
  failingSince: number | null;
  disabledAt: number | null;
  deletedAt: number | null;
}

export interface EndpointSubscription extends Subscription {
  /** Neither deleted nor disabled. */
  open: boolean;
  /** Null: every payload. */
  filter: EventFilter | null;
}

export interface EndpointRow {
  tenant: string;
  id: string;
  url: string;
  event_types: string[];
  source_ids: string[];
  filter: unknown;
  history: PastSubscription[];
  settings: EndpointSettings;
  secrets: Buffer;
  revision: number;
  created_at: string;
  changed_at: string;
  failing_since: string | null;
  disabled_at: string | null;
  deleted_at: string | null;
}

export const endpointColumns = `tenant, id, url, event_types, source_ids, filter, history, settings, secrets, revision, created_at,
  changed_at, failing_since, disabled_at, deleted_at`;

/** Deleted or disabled: what is on its way to it ends without being sent. */
export const isClosed = (endpoint: Endpoint): boolean => endpoint.deletedAt !== null || endpoint.disabledAt !== null;

/** One that is not known is closed to all deliveries: nothing is sent. */
export function factsOf(endpoint: Endpoint | undefined): EndpointFacts {
  if (endpoint === undefined) return { maxInFlight: 1, revision: 0, isClosed: true };
  return { maxInFlight: endpoint.maxInFlight, revision: endpoint.revision, isClosed: isClosed(endpoint) };
}

interface Reading {
  secretBox: SecretBox;
  /** Of a schedule, which has no window of its own. */
  longestWindowMs: number;
  /** Told why where the row's secrets do not open or are not what was sealed, or a filter can't be used. */
  onUnreadable(error: AppError): void;
}

export function endpointOf(row: EndpointRow, reading: Reading): Endpoint {
  const { settings } = row;
  const open = row.disabled_at === null && row.deleted_at === null;
  const { onUnreadable } = reading;
  return {
    tenant: row.tenant,
    id: row.id,
    url: row.url,
    subscription: subscriptionOf({ ...row, open }, onUnreadable),
    past: row.history.map((past) => ({
      ...subscriptionOf(past, onUnreadable),
      until: microsOf(past.until),
    })),
    ordered: settings.ordered ?? false,
    timeoutMs: settings.timeout_ms ?? endpointDefaults.timeout_ms,
    maxInFlight: settings.max_in_flight ?? endpointDefaults.max_in_flight,
    pace: settings.rate_limit && {
      perSecond: settings.rate_limit.per_second,
      burst: settings.rate_limit.burst,
    },
    retry: retryPolicyOf(settings.retry ?? {}, reading.longestWindowMs),
    secrets: secretsOf(row, reading),
    revision: row.revision,
    createdAt: microsOf(row.created_at),
    changedAt: microsOf(row.changed_at),
    failingSince: row.failing_since === null ? null : microsOf(row.failing_since),
    disabledAt: row.disabled_at === null ? null : microsOf(row.disabled_at),
    deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
  };
}

function subscriptionOf(
  { open, event_types, source_ids, filter }: Omit<PastSubscription, 'until'>,
  onUnreadable: Reading['onUnreadable'],
): EndpointSubscription {
  const subscription = { open, eventTypes: event_types, sourceIds: source_ids };
  try {
    return { ...subscription, filter: filter === null ? null : compileFilter(filter) };
  } catch (error) {
    // A webhook too many can be ignored, one too few is lost.
    onUnreadable(toAppError(error));
    return { ...subscription, filter: null };
  }
}

function retryPolicyOf(given: NonNullable<EndpointSettings['retry']>, longestWindowMs: number): RetryPolicy {
  if ('schedule' in given) {
    const { schedule, jitter } = { ...scheduleDefaults, ...given };
    return {
      kind: 'schedule',
      waitsMs: schedule.map((seconds) => seconds * 1_000),
      jitter,
      capMs: endpointDefaults.retry.cap_seconds * 1_000,
      windowMs: longestWindowMs,
    };
  }
  const { base_seconds, cap_seconds, window_seconds, max_attempts } = { ...endpointDefaults.retry, ...given };
  return {
    kind: 'backoff',
    baseMs: base_seconds * 1_000,
    capMs: cap_seconds * 1_000,
    windowMs: window_seconds * 1_000,
    maxAttempts: max_attempts ?? Number.POSITIVE_INFINITY,
  };
}

function secretsOf(row: EndpointRow, { secretBox, onUnreadable }: Reading): Endpoint['secrets'] {
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
