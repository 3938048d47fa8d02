import {
  endpointMethods,
  type EndpointSettings,
  longestWindowSeconds,
  passRulePattern,
  type usualEndpointLimits,
} from '#lib/contract';
import { anyTextOf, dateTime, decimal, oneLineOf, rateLimit, secret, wholeNumber } from './fields.ts';
import { component } from './operation.ts';
import * as t from './schema.ts';

type EndpointLimits = Readonly<typeof usualEndpointLimits>;

const day = 24 * 3600;

/** Types as senders name them: more than a published event may have as its type. */
export const eventType = oneLineOf(1, 255);

/** The names are checked beside, with an error for each. */
const headers = t.mapOf(
  t.textOf({
    maxLength: 4_096,
    pattern: '^(?:[!-~](?:[\\t -~]*[!-~])?)?$',
    description: 'printable ASCII, with spaces and tabs only inside',
  }),
  { maxProperties: 50 },
);

/** Which headers these are is checked beside. */
const passHeaders = t.list(
  t.textOf({
    maxLength: 101,
    pattern: passRulePattern,
    description:
      'the name of an HTTP header, or a prefix with an asterisk such as X-GitHub-*; headers that may hold secrets need their whole name',
  }),
  { maxItems: 50, uniqueItems: true },
);

export const proxyUrl = {
  type: 'string',
  maxLength: 2_048,
  pattern: '^[!-~]+$',
  description: 'an http or https URL without path, query or fragment',
} as const;

const pem = t.textOf({ minLength: 1, maxLength: 32 * 1024 });

/** As a client sends it; or as it was shown, without a key. */
const clientCertificate = t.closedObject(
  { certificate: pem },
  { private_key: pem, expires_at: dateTime, fingerprint: t.textOf({ maxLength: 200 }) },
);

/** Both forms; that only one of them is used is checked beside, with a clear error. */
const retry = ({ payloadRetentionDays, minRetrySeconds }: EndpointLimits) =>
  t.optionalFields({
    base_seconds: decimal(Math.max(0.01, minRetrySeconds), day),
    cap_seconds: decimal(0.01, 7 * day),
    window_seconds: decimal(1, longestWindowSeconds(payloadRetentionDays)),
    max_attempts: wholeNumber(1, 1_000),
    schedule: t.list(decimal(minRetrySeconds, 7 * day), { minItems: 1, maxItems: 100 }),
    jitter: decimal(0, 1),
  });

const url = t.saying('an absolute URL', oneLineOf(1, 2_048));

const eventTypes = t.list(eventType, { maxItems: 100, uniqueItems: true });
const sourceIds = t.list(t.textOf({ maxLength: 100 }), { maxItems: 100, uniqueItems: true });

/** All but the URL. How they go together, and with the existing endpoint, is checked beside. */
const optionalFields = (limits: EndpointLimits) =>
  ({
    description: anyTextOf(1_000),
    event_types: eventTypes,
    source_ids: sourceIds,
    // Its grammar is the filter's own business.
    filter: t.unknownValue,
    method: t.textIn(endpointMethods),
    headers,
    pass_headers: passHeaders,
    proxy: proxyUrl,
    client_certificate: clientCertificate,
    ed25519: t.flag,
    timeout_ms: wholeNumber(100, 60_000),
    max_in_flight: wholeNumber(1, 1_000),
    rate_limit: rateLimit,
    ordered: t.flag,
    retry: retry(limits),
  }) satisfies Record<keyof EndpointSettings | 'description' | 'event_types' | 'source_ids' | 'filter', object>;

/** Seconds until a temporary endpoint is deleted: from a minute to 30 days. */
const expiresIn = t.saying('a whole number of seconds from 60 to 2592000', wholeNumber(60, 2_592_000));

export const newEndpoint = (limits: EndpointLimits) =>
  t.closedObject({ url }, { ...optionalFields(limits), secret, expires_in: expiresIn });

/** An endpoint after a change: its secrets stay. */
export const changedEndpoint = (limits: EndpointLimits) =>
  t.closedObject({ url }, { ...optionalFields(limits), expires_in: expiresIn });

export type ChangedEndpoint = t.Static<ReturnType<typeof changedEndpoint>>;

const disabledReason = { type: 'string', examples: ['by_request', 'gone', 'failing'] } as const;

export const endpoint = component(
  'Endpoint',
  t.object(
    {
      id: t.id('ep'),
      url: t.textOf({ format: 'uri' }),
      description: t.text,
      event_types: t.saying('event types to deliver; empty: all except Hookline’s own (`hookline.*`)', t.list(t.text)),
      source_ids: t.saying('sources to deliver from; empty: all; `api`: published events', t.list(t.text)),
      filter: t.saying('filter on the payload; null: all', t.unknownValue),
      method: t.oneOf(endpointMethods),
      headers: t.saying('sensitive values are shown as `***`', t.map(t.text)),
      pass_headers: t.saying(
        'headers of the provider that are passed on: names, or prefixes with an asterisk; headers that may hold secrets need their whole name',
        t.list(t.text),
      ),
      ed25519: t.flag,
      public_keys: t.saying('valid public keys, newest first', t.list(t.text)),
      timeout_ms: t.count,
      max_in_flight: t.count,
      ordered: t.saying('events with the same ordering key are sent one after another', t.flag),
      retry: t.object(
        {},
        {
          base_seconds: t.number,
          cap_seconds: t.number,
          window_seconds: t.number,
          max_attempts: t.count,
          schedule: t.list(t.number),
          jitter: t.number,
        },
      ),
      created_at: t.time,
      effective_at: t.saying(
        'from when on the last change counts, its creation included, two seconds after it: which events it gets is decided by the settings that count when they are received',
        t.time,
      ),
      disabled_at: t.nullable(t.time),
      disabled_reason: t.nullable(disabledReason),
      failing_since: t.saying('since when all attempts have failed', t.nullable(t.time)),
      paused_at: t.saying('null while it is not paused, as `paused_until` is', t.nullable(t.time)),
      paused_until: t.nullable(t.time),
      expires_at: t.saying(
        'when a temporary endpoint is deleted, by `expires_in` of its creation or last change; null: never',
        t.nullable(t.time),
      ),
      url_by_portal: t.saying(
        'the URL was set in the portal: private networks and plain http are refused, even where the operator allows them',
        t.flag,
      ),
      filter_unjudged: t.saying(
        'the last event (accurate to a minute) that was delivered although the filter could not be evaluated, with the reason: the payload is unsuitable, or evaluating this filter, or all filters together, would take too long',
        t.nullable(t.object({ at: t.time, reason: t.oneOf(['payload', 'filter_steps', 'event_steps']) })),
      ),
    },
    {
      proxy: t.saying('credentials are shown as `***`', t.text),
      client_certificate: t.object({ certificate: t.text, expires_at: t.time, fingerprint: t.text }),
      rate_limit: rateLimit,
    },
  ),
);

export type Endpoint = t.Static<typeof endpoint.schema>;

export const endpointWithSecret = component(
  'EndpointWithSecret',
  t.extend(endpoint.schema, { secret: t.saying('signs deliveries; shown only in this response', t.text) }),
);
