import { rateLimit, wholeNumber } from '#lib/api-contract';
import {
  type BackoffSettings,
  endpointMethods,
  type EndpointSettings,
  longestWindowSeconds,
  type ScheduleSettings,
} from '#lib/contract';
import type { EndpointRow } from '../resources/endpoint.ts';
import { clientCertificate } from './client-certificate.ts';
import { description, eventType, seconds } from './fields.ts';
import type { RouteDeps } from '../route.ts';
import type { GivenPrivate } from './private-settings.ts';
import { passHeaders } from './pass-headers.ts';
import { proxy } from './proxy-url.ts';
import { headers } from './request-headers.ts';

/** The client's form of an endpoint's settings. */
export interface GivenEndpoint extends Omit<EndpointSettings, keyof GivenPrivate>, GivenPrivate {
  url: string;
  description?: string;
  event_types?: string[];
  source_ids?: string[];
  filter?: unknown;
}

/** Settings of the operator. */
type Limits = Pick<RouteDeps, 'payloadRetentionDays' | 'minRetrySeconds'>;

const day = 24 * 3600;
/** Both forms; `judgeEndpoint` checks that only one of them is used, with a clear error. */
const retry = ({ payloadRetentionDays, minRetrySeconds }: Limits) =>
  ({
    type: 'object',
    additionalProperties: false,
    properties: {
      base_seconds: seconds(Math.max(0.01, minRetrySeconds), day),
      cap_seconds: seconds(0.01, 7 * day),
      window_seconds: seconds(1, longestWindowSeconds(payloadRetentionDays)),
      max_attempts: wholeNumber(1, 1_000),
      schedule: { type: 'array', minItems: 1, maxItems: 100, items: seconds(minRetrySeconds, 7 * day) },
      jitter: { type: 'number', minimum: 0, maximum: 1 },
    } satisfies Record<keyof BackoffSettings | keyof ScheduleSettings, object>,
  }) as const;

/** Schemas of an endpoint's settings. `judgeEndpoint` checks how they go together, and with the existing row. */
export const endpointFields = (limits: Limits) =>
  ({
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 2_048,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'an absolute URL',
    },
    description,
    event_types: { type: 'array', maxItems: 100, uniqueItems: true, items: eventType },
    source_ids: { type: 'array', maxItems: 100, uniqueItems: true, items: { type: 'string', maxLength: 100 } },
    // Its grammar is the filter's own business.
    filter: {},
    method: { type: 'string', enum: endpointMethods },
    headers,
    pass_headers: passHeaders,
    proxy,
    client_certificate: clientCertificate,
    ed25519: { type: 'boolean' },
    timeout_ms: wholeNumber(100, 60_000),
    max_in_flight: wholeNumber(1, 1_000),
    rate_limit: rateLimit,
    ordered: { type: 'boolean' },
    retry: retry(limits),
  }) as const satisfies Record<keyof GivenEndpoint, object>;

/** The body that would create the endpoint, its secrets masked as they are shown. */
export function givenOf({ filter, settings, ...row }: EndpointRow): GivenEndpoint {
  const { url, description, event_types, source_ids } = row;
  return { url, description, event_types, source_ids, ...(filter !== null && { filter }), ...settings };
}
