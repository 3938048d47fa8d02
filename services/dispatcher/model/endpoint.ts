import { isDeepStrictEqual } from 'node:util';
import {
  compilePassHeaders,
  endpointDefaults,
  type EndpointMethod,
  type EndpointSettings,
  type PausedLife,
  scheduleDefaults,
  type StoredPause,
} from '#lib/contract';
import { readSubscriber, type Subscriber, subscriberColumns, type SubscriberRow } from '#lib/fan-out';
import type { HttpRoute } from '#lib/http-client';
import { type AppError, microsOf } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import type { RetryPolicy } from './retry-policy.ts';
import {
  type EndpointSecret,
  openSecrets,
  openSettings,
  type SealedColumns,
  withoutPrivate,
} from './sealed-columns.ts';

/** The endpoint's rate limit. */
export interface Pace {
  perSecond: number;
  burst: number;
}

/** An endpoint as the dispatcher works with it; instants in microseconds since the epoch. */
export interface Endpoint extends Subscriber, PausedLife {
  url: string;
  method: EndpointMethod;
  /** Its own, by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Proxy and client certificate; undefined for neither. The same object for as long as they are the same. */
  route: HttpRoute | undefined;
  /** A portal session chose the URL: it is vetted without the operator's allowances. */
  urlByPortal: boolean;
  timeoutMs: number;
  maxInFlight: number;
  /** Undefined: no rate limit is set. */
  pace: Pace | undefined;
  retry: RetryPolicy;
  /**
   * Several during a rotation. Empty if they or the private settings can't be decrypted: nothing is sent unsigned, or without the
   * configured headers, proxy and certificate.
   */
  secrets: readonly EndpointSecret[];
  /** Counts changes by people. */
  revision: number;
  /** Grows with every change, not by people alone. */
  changedAt: number;
  /** No send since then was taken. */
  failingSince: number | null;
  /** The same, from when `hookline.endpoint.failing` is announced until its recovery is. */
  outageSince: number | null;
  /** When somebody last asked for a probe. */
  probeAskedAt: number | null;
  disabledAt: number | null;
  deletedAt: number | null;
}

export interface EndpointRow extends SubscriberRow, SealedColumns {
  url: string;
  url_by_portal: boolean;
  revision: number;
  failing_since: string | null;
  outage_since: string | null;
  probe_asked_at: string | null;
  pauses: StoredPause[];
}

export const endpointColumns = `${subscriberColumns}, url, url_by_portal, settings, private, secrets, revision, failing_since, outage_since, probe_asked_at, pauses`;

/** Deleted or disabled: its deliveries end without being sent. */
export const isClosed = (endpoint: Endpoint): boolean => endpoint.deletedAt !== null || endpoint.disabledAt !== null;

/** Nothing is sent to it for now; its deliveries wait. */
export const isPaused = ({ pauses }: PausedLife, now: number): boolean => (pauses.at(-1)?.until ?? 0) > now;

interface Reading {
  secretBox: SecretBox;
  /** The retry window of a schedule, which has none of its own. */
  longestWindowMs: number;
  longestLifeMs: number;
  /** Called with the reason if encrypted columns can't be decrypted or parsed, or a filter can't be used. */
  onUnreadable(error: AppError): void;
}

/** @param before the same endpoint as last read */
export function endpointOf(row: EndpointRow, reading: Reading, before?: Endpoint): Endpoint {
  const whole = openSettings(row, reading);
  const settings = whole ?? withoutPrivate(row.settings);
  const { method, headers } = { ...endpointDefaults, ...settings };
  return {
    ...readSubscriber(row, before, reading.onUnreadable),
    url: row.url,
    urlByPortal: row.url_by_portal,
    method,
    headers: Object.fromEntries(Object.entries<string>(headers).map(([name, value]) => [name.toLowerCase(), value])),
    route: routeOf(settings, before?.route),
    ordered: settings.ordered ?? false,
    passHeaders: compilePassHeaders(settings.pass_headers),
    timeoutMs: settings.timeout_ms ?? endpointDefaults.timeout_ms,
    maxInFlight: settings.max_in_flight ?? endpointDefaults.max_in_flight,
    pace: settings.rate_limit && {
      perSecond: settings.rate_limit.per_second,
      burst: settings.rate_limit.burst,
    },
    retry: retryPolicyOf(settings.retry ?? {}, reading.longestWindowMs),
    secrets: whole === undefined ? [] : openSecrets(row, reading),
    revision: row.revision,
    changedAt: microsOf(row.changed_at),
    failingSince: row.failing_since === null ? null : microsOf(row.failing_since),
    outageSince: row.outage_since === null ? null : microsOf(row.outage_since),
    probeAskedAt: row.probe_asked_at === null ? null : microsOf(row.probe_asked_at),
    disabledAt: row.disabled_at === null ? null : microsOf(row.disabled_at),
    deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
    pauses: row.pauses.map(({ from, until }) => ({ from: microsOf(from), until: microsOf(until) })),
    longestLifeMs: reading.longestLifeMs,
  };
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
  // The same object, so that connections are still found by their route after other changes.
  return isDeepStrictEqual(route, before) ? before : route;
}
