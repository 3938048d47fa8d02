import { endpointMethods } from '#lib/contract';
import { rateLimit } from '../../settings/fields.ts';
import { type DocumentedResource, page, ref } from '../operation.ts';
import { count, extend, flag, id, list, map, nullable, number, object, oneOf, saying, text, time } from '../schema.ts';

const endpoint = object(
  {
    id: id('ep'),
    url: { type: 'string', format: 'uri' },
    description: text,
    event_types: saying('empty: all but Hookline’s own, `hookline.*`', list(text)),
    source_ids: saying('empty: all; `api` for what is published', list(text)),
    filter: saying('which payloads it gets; null: all', {}),
    method: oneOf(endpointMethods),
    headers: saying('values of sensitive ones are `***`', map(text)),
    ed25519: flag,
    public_keys: saying('in force, the newest first', list(text)),
    timeout_ms: count,
    max_in_flight: count,
    ordered: saying('events of one ordering key are sent one after the other', flag),
    retry: object(
      {},
      {
        base_seconds: number,
        cap_seconds: number,
        window_seconds: number,
        max_attempts: count,
        schedule: list(number),
        jitter: number,
      },
    ),
    created_at: time,
    disabled_at: nullable(time),
    disabled_reason: nullable({ type: 'string', examples: ['by_request', 'gone', 'failing'] }),
    failing_since: saying('since when nothing that was sent to it was taken', nullable(time)),
    filter_unjudged: saying(
      'when it last got an event that its filter had not judged (to the minute), and why: the payload can’t be judged, or it would take too much work, for this filter or for all together',
      nullable(object({ at: time, reason: { enum: ['payload', 'filter_steps', 'event_steps'] } })),
    ),
  },
  {
    proxy: saying('its credentials are `***`', text),
    client_certificate: object({ certificate: text, expires_at: time, fingerprint: text }),
    rate_limit: rateLimit,
  },
);

const secret = saying('with which deliveries are signed; shown in this answer alone', text);
const switched = { 200: { is: 'The endpoint as it is now', body: 'Endpoint', headers: ['ETag'] } } as const;

export const documentedEndpoints: DocumentedResource = {
  tag: 'Endpoints',
  description:
    'Where events are sent to. A new one gets the events that are accepted five seconds or more after its creation.',
  schemas: {
    Endpoint: endpoint,
    EndpointWithSecret: extend(endpoint, { secret }),
    TestResult: object({ event_id: id('evt'), delivery_id: nullable(id('dlv')), attempt: nullable(ref('Attempt')) }),
  },
  operations: {
    'POST /v1/endpoints': {
      id: 'createEndpoint',
      summary: 'Create an endpoint',
      answers: {
        201: { is: 'The endpoint, with its secret', body: 'EndpointWithSecret', headers: ['Location', 'ETag'] },
      },
      errors: ['url_not_allowed', 'limit_reached'],
    },
    'GET /v1/endpoints': {
      id: 'listEndpoints',
      summary: 'List endpoints, the oldest first',
      answers: { 200: page('Endpoint', 'Those that are not deleted') },
    },
    'GET /v1/endpoints/:id': {
      id: 'getEndpoint',
      summary: 'Read an endpoint',
      answers: { 200: { is: 'The endpoint', body: 'Endpoint', headers: ['ETag'] } },
      errors: ['gone'],
    },
    'PATCH /v1/endpoints/:id': {
      id: 'updateEndpoint',
      summary: 'Change an endpoint',
      description:
        'JSON merge patch: `null` resets a field to its default. What is sent as it is shown, masked, stays as it is.',
      answers: switched,
      errors: ['url_not_allowed', 'limit_reached'],
      conditional: true,
      patchOf: 'POST /v1/endpoints',
    },
    'DELETE /v1/endpoints/:id': {
      id: 'deleteEndpoint',
      summary: 'Delete an endpoint: what is on its way to it is cancelled',
      answers: { 204: { is: 'It is deleted' } },
      conditional: true,
    },
    'POST /v1/endpoints/:id/rotate-secret': {
      id: 'rotateEndpointSecret',
      summary: 'Give an endpoint another secret; deliveries are signed with the one before too for a while',
      answers: { 200: { is: 'The new secret', body: 'RotatedSecret' } },
      errors: ['conflict'],
      conditional: true,
    },
    'POST /v1/endpoints/:id/disable': {
      id: 'disableEndpoint',
      summary: 'Disable an endpoint: what is on its way to it becomes dead letters',
      answers: switched,
      conditional: true,
    },
    'POST /v1/endpoints/:id/enable': {
      id: 'enableEndpoint',
      summary: 'Enable an endpoint, whatever had disabled it',
      answers: switched,
      errors: ['limit_reached'],
      conditional: true,
    },
    'POST /v1/endpoints/:id/recover': {
      id: 'recoverEndpoint',
      summary: 'Send again what has died on its way to an endpoint since a time',
      answers: { 202: { is: 'The replay that does so', body: 'Replay', headers: ['Location'] } },
      errors: ['conflict', 'gone', 'limit_reached'],
    },
    'POST /v1/endpoints/:id/test': {
      id: 'testEndpoint',
      summary: 'Send a sample event to an endpoint, and wait for its first attempt',
      answers: {
        200: { is: 'What came of the first attempt', body: 'TestResult', headers: ['Location'] },
        202: { is: 'There was none in time: it goes on', body: 'TestResult', headers: ['Location'] },
      },
      errors: ['conflict', 'gone', 'limit_reached'],
    },
  },
};
