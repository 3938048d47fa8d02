import { maxReplayDeadLetters, usualEndpointLimits } from '#lib/contract';
import { attempt } from './deliveries.ts';
import { changedEndpoint, endpoint, endpointWithSecret, eventType, newEndpoint } from './endpoint-settings.ts';
import { dateTime, replayRate, searchText, wholeNumber } from './fields.ts';
import { component, operation, page, parameter, resource } from './operation.ts';
import { pageQuery } from './paging.ts';
import { replay } from './replays.ts';
import {
  closedObject,
  count,
  flag,
  id,
  list,
  nullable,
  number,
  object,
  oneOf,
  patchOf,
  saying,
  type Static,
  text,
  textIn,
  time,
  unknownValue,
} from './schema.ts';
import { rotatedSecret, rotation } from './sources.ts';

const success = saying(
  'null: not counted for that long yet',
  nullable(object({ attempts: count, delivered: count, ratio: nullable(number) })),
);

const lastSend = (description: string) =>
  saying(
    description,
    nullable(object({ at: time, outcome: nullable(text), http_status: nullable(count), detail: nullable(text) })),
  );

const endpointHealth = component(
  'EndpointHealth',
  object({
    breaker: saying(
      'the last report of the dispatcher; null if there was none within three minutes',
      nullable(object({ state: oneOf(['closed', 'half_open', 'open']), since: nullable(time) })),
    ),
    disabled_at: nullable(time),
    paused_until: nullable(time),
    failing_since: nullable(time),
    disables_at: saying('when it will be disabled if it keeps failing; null while it does not fail', nullable(time)),
    success: saying('attempts and deliveries of the last hour and 24 hours', object({ hour: success, day: success })),
    latency: saying(
      'of the attempts of the last 200 deliveries, within 24 hours',
      object({ attempts: count, p50_ms: nullable(number), p95_ms: nullable(number) }),
    ),
    waiting: object({
      retrying: count,
      parked: count,
      is_capped: saying('there are more: counting stopped here', flag),
      oldest: saying('creation of the oldest delivery that waits', nullable(time)),
      drains_at: saying(
        'at the rate of the last five minutes; null if that is 0, or nothing is sent now',
        nullable(time),
      ),
    }),
    last_success: lastSend(
      'the last 2xx; only to the minute, without the rest, if it is not among the last 200 deliveries',
    ),
    last_failure: lastSend('the last failed attempt, in the same way'),
    failures: saying(
      'failed attempts of the last 24 hours, of the last 200 deliveries, by what came back; the most frequent first, ten at most',
      list(
        object({
          outcome: text,
          http_status: nullable(count),
          attempts: count,
          first_at: time,
          last_at: time,
          detail: nullable(text),
          response_excerpt: saying(
            'how the body of the last one begins; null if there was none, or it is not text',
            nullable(text),
          ),
          delivery_id: saying('of the last one', id('dlv')),
        }),
      ),
    ),
  }),
);

export type EndpointHealth = Static<typeof endpointHealth.schema>;

const testResult = component(
  'TestResult',
  object({ event_id: id('evt'), delivery_id: nullable(id('dlv')), attempt: nullable(attempt.ref) }),
);

export type TestResult = Static<typeof testResult.schema>;

/** For what the path says alone. */
const nothing = closedObject({});

const changed = { 200: { is: 'The endpoint after the change', body: endpoint.ref, headers: ['ETag'] } } as const;

export const createEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints',
  tag: 'Endpoints',
  id: 'createEndpoint',
  summary: 'Create an endpoint',
  description:
    'A portal session gives `url`, `event_types`, `filter` and `description` alone, and its URL may not use private networks or plain http, even where the operator allows them; this is checked at every attempt.',
  access: { capability: 'endpoints', audit: 'endpoint.create' },
  body: newEndpoint(usualEndpointLimits),
  example: { url: 'https://example.com/webhooks', event_types: ['order.*'] },
  answers: {
    201: { is: 'The endpoint, with its secret', body: endpointWithSecret.ref, headers: ['Location', 'ETag'] },
  },
  errors: ['url_not_allowed', 'limit_reached'],
});

export const listEndpoints = operation({
  method: 'GET',
  path: '/v1/endpoints',
  tag: 'Endpoints',
  id: 'listEndpoints',
  summary: 'List endpoints, oldest first',
  access: { capability: 'view' },
  query: {
    status: parameter(textIn(['enabled', 'paused', 'disabled']), '`enabled` has the paused ones, too'),
    failing: parameter(textIn(['true', 'false']), '`true`: all attempts fail at present'),
    q: parameter(searchText, 'text in the URL or the description, in upper or lower case'),
    ...pageQuery,
  },
  answers: { 200: page(endpoint, 'Endpoints that are not deleted') },
});

export const getEndpoint = operation({
  method: 'GET',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  id: 'getEndpoint',
  summary: 'Read an endpoint',
  access: { capability: 'view' },
  answers: { 200: { is: 'The endpoint', body: endpoint.ref, headers: ['ETag'] } },
  errors: ['gone'],
});

export const updateEndpoint = operation({
  method: 'PATCH',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  id: 'updateEndpoint',
  summary: 'Change an endpoint',
  description:
    'JSON merge patch: `null` resets a field to its default. A masked value that is sent back stays unchanged. Where nothing changes, ETag and audit stay as they are. A portal session changes `url`, `event_types`, `filter` and `description` alone, and the URL only where no setting goes with it: headers, passed headers, a proxy or a certificate. Where the origin changes, or the proxy of an endpoint without TLS, credentials among these must be sent again.',
  access: { capability: 'endpoints', audit: 'endpoint.update' },
  body: patchOf(changedEndpoint(usualEndpointLimits), 'secret'),
  example: { description: 'Orders', timeout_ms: 10_000 },
  answers: changed,
  errors: ['url_not_allowed', 'limit_reached'],
  conditional: true,
  patchOf: 'POST /v1/endpoints',
});

export const deleteEndpoint = operation({
  method: 'DELETE',
  path: '/v1/endpoints/:id',
  tag: 'Endpoints',
  id: 'deleteEndpoint',
  summary: 'Delete an endpoint; its open deliveries are cancelled',
  access: { capability: 'endpoints', audit: 'endpoint.delete' },
  answers: { 204: { is: 'The endpoint is deleted' } },
  conditional: true,
});

export const rotateEndpointSecret = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/rotate-secret',
  tag: 'Endpoints',
  id: 'rotateEndpointSecret',
  summary: 'Rotate the secret of an endpoint; during the overlap, deliveries are signed with both secrets',
  access: { capability: 'secrets', audit: 'endpoint.rotate_secret' },
  body: rotation,
  example: { overlap_seconds: 86_400 },
  answers: { 200: { is: 'The new secret', body: rotatedSecret.ref } },
  errors: ['conflict'],
  conditional: true,
});

export const disableEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/disable',
  tag: 'Endpoints',
  id: 'disableEndpoint',
  summary: 'Disable an endpoint; its open deliveries are dead-lettered',
  access: { capability: 'endpoints', audit: 'endpoint.disable' },
  body: nothing,
  answers: changed,
  conditional: true,
});

export const enableEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/enable',
  tag: 'Endpoints',
  id: 'enableEndpoint',
  summary: 'Enable an endpoint that is disabled for any reason',
  access: { capability: 'endpoints', audit: 'endpoint.enable' },
  body: nothing,
  answers: changed,
  errors: ['limit_reached'],
  conditional: true,
});

export const pauseEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/pause',
  tag: 'Endpoints',
  id: 'pauseEndpoint',
  summary: 'Pause an endpoint: its deliveries wait, and their deadlines move by the time of the pause',
  description:
    'Nothing is sent to a paused endpoint, test events included. Without `until` the pause ends after 72 hours; it lasts 14 days at most. Pausing again moves its end. Deadlines move no further than payloads are kept.',
  access: { capability: 'endpoints', audit: 'endpoint.pause' },
  body: closedObject({}, { until: saying('an RFC 3339 date-time', dateTime) }),
  example: { until: '2030-01-01T00:00:00Z' },
  answers: changed,
  errors: ['conflict'],
  conditional: true,
});

export const resumeEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/resume',
  tag: 'Endpoints',
  id: 'resumeEndpoint',
  summary: 'End the pause of an endpoint: its deliveries are sent, oldest first, at its own rate',
  access: { capability: 'endpoints', audit: 'endpoint.resume' },
  body: nothing,
  answers: changed,
  conditional: true,
});

export const probeEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/probe',
  tag: 'Endpoints',
  id: 'probeEndpoint',
  summary: 'Probe an endpoint whose circuit breaker is open now, with the delivery that has waited longest',
  description:
    'The dispatcher sends one delivery within seconds, whenever the next probe would be due; if it goes well, the others follow slowly. Nothing changes for an endpoint whose breaker is closed.',
  access: { capability: 'endpoints', audit: 'endpoint.probe' },
  body: nothing,
  answers: { 200: { is: 'The endpoint; the probe is under way', body: endpoint.ref, headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
});

export const getEndpointHealth = operation({
  method: 'GET',
  path: '/v1/endpoints/:id/health',
  tag: 'Endpoints',
  id: 'getEndpointHealth',
  summary:
    'Read the health of an endpoint: circuit breaker, success rate, latency, and waiting deliveries with the time that they need',
  description: 'Unknown values are null.',
  access: { capability: 'view' },
  answers: { 200: { is: 'The health of the endpoint', body: endpointHealth.ref } },
  errors: ['gone'],
});

export const recoverEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/recover',
  tag: 'Endpoints',
  id: 'recoverEndpoint',
  summary: 'Replay the dead letters of an endpoint since a given time',
  access: { capability: 'replay', audit: 'endpoint.recover' },
  body: closedObject({ since: dateTime }, { limit: wholeNumber(1, maxReplayDeadLetters), rate_per_second: replayRate }),
  example: { since: '2026-01-01T00:00:00Z' },
  answers: { 202: { is: 'The replay', body: replay.ref, headers: ['Location'] } },
  errors: ['conflict', 'gone', 'limit_reached'],
});

export const testEndpoint = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/test',
  tag: 'Endpoints',
  id: 'testEndpoint',
  summary: 'Send a sample event to an endpoint and wait for the first attempt',
  access: { capability: 'endpoints', audit: 'endpoint.test' },
  body: closedObject({}, { type: eventType, payload: unknownValue }),
  example: { type: 'order.paid', payload: { id: 'ord_1' } },
  answers: {
    200: { is: 'Outcome of the first attempt', body: testResult.ref, headers: ['Location'] },
    202: { is: 'The first attempt has not ended yet; it continues', body: testResult.ref, headers: ['Location'] },
  },
  errors: ['conflict', 'gone', 'limit_reached'],
});

export const endpoints = resource({
  tag: 'Endpoints',
  description:
    'Endpoints are URLs that receive events. A change counts from its `effective_at` on, two seconds later: a new endpoint gets the events accepted from then on.',
  components: [endpoint, endpointWithSecret, endpointHealth, testResult],
  operations: [
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
  ],
});
