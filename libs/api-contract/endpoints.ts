import { maxReplayDeadLetters, usualEndpointLimits } from '#lib/contract';
import { attempt } from './deliveries.ts';
import { changedEndpoint, endpoint, endpointWithSecret, eventType, newEndpoint } from './endpoint-settings.ts';
import { dateTime, replayRate, searchText, wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, resource } from './operation.ts';
import { replay } from './replays.ts';
import * as t from './schema.ts';
import { rotatedSecret, rotation } from './sources.ts';

const operation = operationsOf('Endpoints');

const success = t.saying(
  'null: not counted for that long yet',
  t.nullable(t.object({ attempts: t.count, delivered: t.count, ratio: t.nullable(t.number) })),
);

const lastSend = (description: string) =>
  t.saying(
    description,
    t.nullable(
      t.object({
        at: t.time,
        outcome: t.nullable(t.text),
        http_status: t.nullable(t.count),
        detail: t.nullable(t.text),
      }),
    ),
  );

const endpointHealth = component(
  'EndpointHealth',
  t.object({
    breaker: t.saying(
      'the last report of the dispatcher; null if there was none within three minutes',
      t.nullable(t.object({ state: t.oneOf(['closed', 'half_open', 'open']), since: t.nullable(t.time) })),
    ),
    disabled_at: t.nullable(t.time),
    paused_until: t.nullable(t.time),
    failing_since: t.nullable(t.time),
    disables_at: t.saying(
      'when it will be disabled if it keeps failing; null while it does not fail',
      t.nullable(t.time),
    ),
    success: t.saying(
      'attempts and deliveries of the last hour and 24 hours',
      t.object({ hour: success, day: success }),
    ),
    latency: t.saying(
      'of the attempts of the last 200 deliveries, within 24 hours',
      t.object({ attempts: t.count, p50_ms: t.nullable(t.number), p95_ms: t.nullable(t.number) }),
    ),
    waiting: t.object({
      retrying: t.count,
      parked: t.count,
      is_capped: t.saying('there are more: counting stopped here', t.flag),
      oldest: t.saying('creation of the oldest delivery that waits', t.nullable(t.time)),
      drains_at: t.saying(
        'at the rate of the last five minutes; null if that is 0, or nothing is sent now',
        t.nullable(t.time),
      ),
    }),
    last_success: lastSend(
      'the last 2xx; only to the minute, without the rest, if it is not among the last 200 deliveries',
    ),
    last_failure: lastSend('the last failed attempt, in the same way'),
    failures: t.saying(
      'failed attempts of the last 24 hours, of the last 200 deliveries, by what came back; the most frequent first, ten at most',
      t.list(
        t.object({
          outcome: t.text,
          http_status: t.nullable(t.count),
          attempts: t.count,
          first_at: t.time,
          last_at: t.time,
          detail: t.nullable(t.text),
          response_excerpt: t.saying(
            'how the body of the last one begins; null if there was none, or it is not text',
            t.nullable(t.text),
          ),
          delivery_id: t.saying('of the last one', t.id('dlv')),
        }),
      ),
    ),
  }),
);

export type EndpointHealth = t.Static<typeof endpointHealth.schema>;

const testResult = component(
  'TestResult',
  t.object({ event_id: t.id('evt'), delivery_id: t.nullable(t.id('dlv')), attempt: t.nullable(attempt.ref) }),
);

export type TestResult = t.Static<typeof testResult.schema>;

/** For what the path says alone. */
const nothing = t.closedObject({});

const changing = {
  answers: { 200: answer(endpoint, 'The endpoint after the change', 'ETag') },
  conditional: true,
} as const;

export const createEndpoint = operation('POST', '/v1/endpoints', {
  summary: 'Create an endpoint',
  description:
    'A portal session gives `url`, `event_types`, `filter` and `description` alone, and its URL may not use private networks or plain http, even where the operator allows them; this is checked at every attempt.',
  access: { capability: 'endpoints', audit: 'endpoint.create' },
  body: newEndpoint(usualEndpointLimits),
  example: { url: 'https://example.com/webhooks', event_types: ['order.*'] },
  answers: {
    201: answer(endpointWithSecret, 'The endpoint, with its secret', 'Location', 'ETag'),
  },
  errors: ['url_not_allowed', 'limit_reached'],
});

export const listEndpoints = operation('GET', '/v1/endpoints', {
  summary: 'List endpoints, oldest first',
  access: { capability: 'view' },
  query: {
    status: parameter(t.textIn(['enabled', 'paused', 'disabled']), '`enabled` has the paused ones, too'),
    failing: parameter(t.textIn(['true', 'false']), '`true`: all attempts fail at present'),
    q: parameter(searchText, 'text in the URL or the description, in upper or lower case'),
    ...pageQuery,
  },
  answers: { 200: page(endpoint, 'Endpoints that are not deleted') },
});

export const getEndpoint = operation('GET', '/v1/endpoints/:id', {
  summary: 'Read an endpoint',
  access: { capability: 'view' },
  answers: { 200: answer(endpoint, 'The endpoint', 'ETag') },
  errors: ['gone'],
});

export const updateEndpoint = operation('PATCH', '/v1/endpoints/:id', {
  summary: 'Change an endpoint',
  description:
    'JSON merge patch: `null` resets a field to its default. A masked value that is sent back stays unchanged. Where nothing changes, ETag and audit stay as they are. A portal session changes `url`, `event_types`, `filter` and `description` alone, and the URL only where no setting goes with it: headers, passed headers, a proxy or a certificate. Where the origin changes, or the proxy of an endpoint without TLS, credentials among these must be sent again.',
  access: { capability: 'endpoints', audit: 'endpoint.update' },
  body: t.patchOf(changedEndpoint(usualEndpointLimits), 'secret'),
  example: { description: 'Orders', timeout_ms: 10_000 },
  errors: ['url_not_allowed', 'limit_reached'],
  ...changing,
  patchOf: 'POST /v1/endpoints',
});

export const deleteEndpoint = operation('DELETE', '/v1/endpoints/:id', {
  summary: 'Delete an endpoint; its open deliveries are cancelled',
  access: { capability: 'endpoints', audit: 'endpoint.delete' },
  answers: { 204: { is: 'The endpoint is deleted' } },
  conditional: true,
});

export const rotateEndpointSecret = operation('POST', '/v1/endpoints/:id/rotate-secret', {
  summary: 'Rotate the secret of an endpoint; during the overlap, deliveries are signed with both secrets',
  access: { capability: 'secrets', audit: 'endpoint.rotate_secret' },
  body: rotation,
  example: { overlap_seconds: 86_400 },
  answers: { 200: answer(rotatedSecret, 'The new secret') },
  errors: ['conflict'],
  conditional: true,
});

export const disableEndpoint = operation('POST', '/v1/endpoints/:id/disable', {
  summary: 'Disable an endpoint; its open deliveries are dead-lettered',
  access: { capability: 'endpoints', audit: 'endpoint.disable' },
  body: nothing,
  ...changing,
});

export const enableEndpoint = operation('POST', '/v1/endpoints/:id/enable', {
  summary: 'Enable an endpoint that is disabled for any reason',
  access: { capability: 'endpoints', audit: 'endpoint.enable' },
  body: nothing,
  errors: ['limit_reached'],
  ...changing,
});

export const pauseEndpoint = operation('POST', '/v1/endpoints/:id/pause', {
  summary: 'Pause an endpoint: its deliveries wait, and their deadlines move by the time of the pause',
  description:
    'Nothing is sent to a paused endpoint, test events included. Without `until` the pause ends after 72 hours; it lasts 14 days at most. Pausing again moves its end. Deadlines move no further than payloads are kept.',
  access: { capability: 'endpoints', audit: 'endpoint.pause' },
  body: t.optionalFields({ until: t.saying('an RFC 3339 date-time', dateTime) }),
  example: { until: '2030-01-01T00:00:00Z' },
  errors: ['conflict'],
  ...changing,
});

export const resumeEndpoint = operation('POST', '/v1/endpoints/:id/resume', {
  summary: 'End the pause of an endpoint: its deliveries are sent, oldest first, at its own rate',
  access: { capability: 'endpoints', audit: 'endpoint.resume' },
  body: nothing,
  ...changing,
});

export const probeEndpoint = operation('POST', '/v1/endpoints/:id/probe', {
  summary: 'Probe an endpoint whose circuit breaker is open now, with the delivery that has waited longest',
  description:
    'The dispatcher sends one delivery within seconds, whenever the next probe would be due; if it goes well, the others follow slowly. Nothing changes for an endpoint whose breaker is closed.',
  access: { capability: 'endpoints', audit: 'endpoint.probe' },
  body: nothing,
  answers: { 200: answer(endpoint, 'The endpoint; the probe is under way', 'ETag') },
  errors: ['conflict'],
  conditional: true,
});

export const getEndpointHealth = operation('GET', '/v1/endpoints/:id/health', {
  summary:
    'Read the health of an endpoint: circuit breaker, success rate, latency, and waiting deliveries with the time that they need',
  description: 'Unknown values are null.',
  access: { capability: 'view' },
  answers: { 200: answer(endpointHealth, 'The health of the endpoint') },
  errors: ['gone'],
});

export const recoverEndpoint = operation('POST', '/v1/endpoints/:id/recover', {
  summary: 'Replay the dead letters of an endpoint since a given time',
  access: { capability: 'replay', audit: 'endpoint.recover' },
  body: t.closedObject(
    { since: dateTime },
    { limit: wholeNumber(1, maxReplayDeadLetters), rate_per_second: replayRate },
  ),
  example: { since: '2026-01-01T00:00:00Z' },
  answers: { 202: answer(replay, 'The replay', 'Location') },
  errors: ['conflict', 'gone', 'limit_reached'],
});

export const testEndpoint = operation('POST', '/v1/endpoints/:id/test', {
  summary: 'Send a sample event to an endpoint and wait for the first attempt',
  access: { capability: 'endpoints', audit: 'endpoint.test' },
  body: t.optionalFields({ type: eventType, payload: t.unknownValue }),
  example: { type: 'order.paid', payload: { id: 'ord_1' } },
  answers: {
    200: answer(testResult, 'Outcome of the first attempt', 'Location'),
    202: answer(testResult, 'The first attempt has not ended yet; it continues', 'Location'),
  },
  errors: ['conflict', 'gone', 'limit_reached'],
});

export const endpoints = resource({
  tag: 'Endpoints',
  description:
    'Endpoints are URLs that receive events. A change counts from its `effective_at` on, two seconds later: a new endpoint gets the events accepted from then on.',
  components: [endpoint, endpointWithSecret, endpointHealth, testResult],
  operations: {
    createEndpoint,
    listEndpoints,
    getEndpoint,
    updateEndpoint,
    deleteEndpoint,
    rotateEndpointSecret,
    disableEndpoint,
    enableEndpoint,
    pauseEndpoint,
    resumeEndpoint,
    probeEndpoint,
    getEndpointHealth,
    recoverEndpoint,
    testEndpoint,
  },
});
