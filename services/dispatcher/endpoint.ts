import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  endpointDefaults,
  type EndpointMethod,
  type EndpointSettings,
  type PastSubscription,
  scheduleDefaults,
  type StoredEndpointSettings,
  type Subscription,
} from '#lib/contract';
import { type AppError, toAppError } from '#lib/errors';
import { compileFilter, type EventFilter } from '#lib/event-filter';
import type { HttpRoute } from '#lib/http-client';
import type { SecretBox } from '#lib/secret-box';
import type { RetryPolicy } from './decide.ts';
import { microsOf } from './micros-of.ts';
import type { EndpointFacts } from './endpoint-health.ts';
import type { Pace } from './lane-places.ts';
import { openSecrets, openSettings, withoutPrivate } from './sealed-columns.ts';

/** An endpoint as the dispatcher works with it; instants in microseconds since the epoch. */
export interface Endpoint {
  tenant: string;
  id: string;
  url: string;
  method: EndpointMethod;
  /** Its own, by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Through which proxy, and with which certificate; undefined for neither. The same object for as long as it is the same way. */
  route: HttpRoute | undefined;
  subscription: EndpointSubscription;
  /** What it was before each change, oldest first. */
  past: readonly (EndpointSubscription & { until: number })[];
  timeoutMs: number;
  maxInFlight: number;
  ordered: boolean;
  pace: Pace | undefined;
  retry: RetryPolicy;
  /**
   * More than one while a secret is rotated, each with a private key where an Ed25519 signature goes with its own. Empty where they or the
   * private settings can't be read: nothing is sent unsigned, or without the headers, proxy and certificate that were set.
   */
  secrets: readonly { secret: string; privateKey: KeyObject | null; expiresAt: number | null }[];
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
  /** Undefined: what `before` has of it is still all of it. */
  history?: readonly PastSubscription[] | undefined;
  settings: StoredEndpointSettings;
  private: Buffer | null;
  secrets: Buffer;
  revision: number;
  created_at: string;
  changed_at: string;
  failing_since: string | null;
  disabled_at: string | null;
  deleted_at: string | null;
}

/** Without the history, which may be larger than all of these, and changes with few changes of the row. */
export const endpointColumns = `tenant, id, url, event_types, source_ids, filter, settings, private, secrets, revision,
  created_at, changed_at, failing_since, disabled_at, deleted_at`;

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
  /** Told why where what the row has sealed does not open or is not what was sealed, or a filter can't be used. */
  onUnreadable(error: AppError): void;
}

/** @param before the same endpoint as it was last read */
export function endpointOf(row: EndpointRow, reading: Reading, before?: Endpoint): Endpoint {
  const whole = openSettings(row, reading);
  const settings = whole ?? withoutPrivate(row.settings);
  const { method, headers } = { ...endpointDefaults, ...settings };
  const open = row.disabled_at === null && row.deleted_at === null;
  const { onUnreadable } = reading;
  return {
    tenant: row.tenant,
    id: row.id,
    url: row.url,
    method,
    headers: Object.fromEntries(Object.entries<string>(headers).map(([name, value]) => [name.toLowerCase(), value])),
    route: routeOf(settings, before?.route),
    subscription: subscriptionOf({ ...row, open }, onUnreadable),
    past: pastOf(row.history, before, onUnreadable),
    ordered: settings.ordered ?? false,
    timeoutMs: settings.timeout_ms ?? endpointDefaults.timeout_ms,
    maxInFlight: settings.max_in_flight ?? endpointDefaults.max_in_flight,
    pace: settings.rate_limit && {
      perSecond: settings.rate_limit.per_second,
      burst: settings.rate_limit.burst,
    },
    retry: retryPolicyOf(settings.retry ?? {}, reading.longestWindowMs),
    secrets: whole === undefined ? [] : openSecrets(row, reading),
    revision: row.revision,
    createdAt: microsOf(row.created_at),
    changedAt: microsOf(row.changed_at),
    failingSince: row.failing_since === null ? null : microsOf(row.failing_since),
    disabledAt: row.disabled_at === null ? null : microsOf(row.disabled_at),
    deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
  };
}

/** What was known before is the same object: of a hundred changes one is new. */
function pastOf(
  history: EndpointRow['history'],
  before: Endpoint | undefined,
  onUnreadable: Reading['onUnreadable'],
): Endpoint['past'] {
  if (history === undefined) return before?.past ?? [];
  const known = new Map(before?.past.map((past) => [past.until, past]));
  return history.map((past) => {
    const until = microsOf(past.until);
    return known.get(until) ?? { ...subscriptionOf(past, onUnreadable), until };
  });
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

function routeOf(settings: EndpointSettings, before: HttpRoute | undefined): HttpRoute | undefined {
  const { proxy, client_certificate: given } = settings;
  if (proxy === undefined && given === undefined) return undefined;
  const route = {
    ...(proxy !== undefined && { proxy }),
    ...(given && { clientCertificate: { certificate: given.certificate, privateKey: given.private_key } }),
  };
  // Whoever keeps connections by their route finds them again after a change of something else.
  return isDeepStrictEqual(route, before) ? before : route;
}
