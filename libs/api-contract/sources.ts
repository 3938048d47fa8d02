import { maxPayloadBytes, sourceSchemes } from '#lib/contract';
import { displayName, headerName, searchText, secret, wholeNumber } from './fields.ts';
import { component, operation, page, parameter, resource } from './operation.ts';
import { pageQuery } from './paging.ts';
import {
  closedObject,
  count,
  either,
  extend,
  flag,
  id,
  list,
  map,
  mapOf,
  nullable,
  object,
  oneOf,
  oneOrMore,
  patchOf,
  saying,
  type Static,
  text,
  textIn,
  textOf,
  time,
  unknownValue,
} from './schema.ts';
import { shownSettings, sourceSettings } from './source-settings.ts';

const { dedup, dedup_ttl_seconds, timestamp_tolerance_seconds, response_status, ordering_key } = sourceSettings;
const place = ordering_key.then;
const places = list(place);
const identifierPlaces = list(either(place, places));

/** As it is shown: places are lists, and a secret only shows that it is set. */
const source = component(
  'Source',
  object(
    {
      id: id('src'),
      name: text,
      scheme: oneOf(sourceSchemes),
      ingest_url: saying('where the sender posts its webhooks', textOf({ format: 'uri' })),
      dedup,
      identified_by: object({
        places: saying('where the identifier is looked for, in this order; a list joins its values', identifierPlaces),
        with: saying(
          'what the identifier counts together with: `body`, `receipt` (each is an event), or a header; null: it is exact',
          nullable(text),
        ),
      }),
      advice: saying('what is probably not as it is meant', list(text)),
      dedup_ttl_seconds,
      timestamp_tolerance_seconds,
      response_status,
      created_at: time,
    },
    {
      ...shownSettings,
      dedup_id: identifierPlaces,
      event_type_from: places,
      ordering_key: places,
      verify_token_set: saying('whether a verify token is set; the token is not shown', flag),
    },
  ),
);

export type Source = Static<typeof source.schema>;

const shownSecret = saying('shown only in this response', text);
const sourceWithSecret = component('SourceWithSecret', extend(source.schema, { secret: shownSecret }));

export const rotatedSecret = component(
  'RotatedSecret',
  object({
    secret: shownSecret,
    previous_expires_at: saying(
      'time until which the previous secret stays valid; null: it is invalid already',
      nullable(time),
    ),
  }),
);

/** The steps in which the ingress checks a webhook, in their order. */
const verificationSteps = ['address', 'length', 'signature_header', 'timestamp', 'signature'] as const;

const verification = component(
  'Verification',
  object({
    verified: flag,
    step: saying('the step that failed', oneOf([...verificationSteps, null])),
    status: saying('status that the ingress answers with', count),
    code: saying('error code that the ingress answers with', nullable(text)),
    detail: saying('what to do', text),
    challenge: saying('a connection test of the provider, which makes no event', flag),
    not_checked: saying(
      'what the ingress checks besides: the address if `address` was not given, and the client certificate',
      list(oneOf(['address', 'client_certificate'])),
    ),
  }),
);

export type Verification = Static<typeof verification.schema>;

const sampleOfWebhook = component(
  'SampleWebhook',
  object({
    method: text,
    url: text,
    headers: map(text),
    body: text,
    body_encoding: oneOf(['text', 'base64']),
    curl: saying('a shell command that sends it', text),
  }),
);

const rejection = component(
  'Rejection',
  object(
    {
      id: id('rej'),
      at: time,
      code: saying('error code that the sender received', text),
      client_address: text,
      headers: saying('possible secrets are masked', map(unknownValue)),
      body_bytes: nullable(count),
    },
    { body: text, body_encoding: oneOf(['utf-8', 'base64']), body_truncated: flag },
  ),
);

export type Rejection = Static<typeof rejection.schema>;

export const createSource = operation({
  method: 'POST',
  path: '/v1/sources',
  tag: 'Sources',
  id: 'createSource',
  summary: 'Create a source',
  access: { audit: 'source.create' },
  body: closedObject({ name: displayName, scheme: textIn(sourceSchemes) }, { secret, ...sourceSettings }),
  example: { name: 'Shop', scheme: 'standard-webhooks' },
  answers: {
    201: { is: 'The source, with its secret', body: sourceWithSecret.ref, headers: ['Location', 'ETag'] },
  },
  errors: ['limit_reached'],
});

export const listSources = operation({
  method: 'GET',
  path: '/v1/sources',
  tag: 'Sources',
  id: 'listSources',
  summary: 'List sources, oldest first',
  query: {
    failing: parameter(
      textIn(['true', 'false']),
      '`true`: it has rejected webhooks in the last ten minutes, and accepted none',
    ),
    q: parameter(searchText, 'text in the name, in upper or lower case'),
    ...pageQuery,
  },
  answers: { 200: page(source, 'Sources that are not deleted') },
});

export const getSource = operation({
  method: 'GET',
  path: '/v1/sources/:id',
  tag: 'Sources',
  id: 'getSource',
  summary: 'Read a source',
  answers: { 200: { is: 'The source', body: source.ref, headers: ['ETag'] } },
  errors: ['gone'],
});

/** A source after a change: its scheme and its secrets stay. */
export const changedSource = closedObject({ name: displayName }, sourceSettings);

export const updateSource = operation({
  method: 'PATCH',
  path: '/v1/sources/:id',
  tag: 'Sources',
  id: 'updateSource',
  summary: 'Change a source',
  description:
    'JSON merge patch: `null` resets a setting to its default. The scheme and the secret cannot be changed here. Where nothing changes, ETag and audit stay as they are.',
  access: { audit: 'source.update' },
  body: patchOf(changedSource, 'scheme', 'secret'),
  example: { name: 'Shop, production' },
  answers: { 200: { is: 'The source after the change', body: source.ref, headers: ['ETag'] } },
  errors: ['limit_reached'],
  conditional: true,
  patchOf: 'POST /v1/sources',
});

export const deleteSource = operation({
  method: 'DELETE',
  path: '/v1/sources/:id',
  tag: 'Sources',
  id: 'deleteSource',
  summary: 'Delete a source; its senders get 410',
  access: { audit: 'source.delete' },
  answers: { 204: { is: 'The source is deleted' } },
  conditional: true,
});

export const rotation = closedObject({}, { overlap_seconds: wholeNumber(0, 30 * 24 * 3_600), secret });

export const rotateSourceSecret = operation({
  method: 'POST',
  path: '/v1/sources/:id/rotate-secret',
  tag: 'Sources',
  id: 'rotateSourceSecret',
  summary: 'Rotate the secret of a source; the previous secret stays valid during the overlap',
  access: { audit: 'source.rotate_secret' },
  body: rotation,
  example: { overlap_seconds: 86_400 },
  answers: { 200: { is: 'The new secret', body: rotatedSecret.ref } },
  errors: ['conflict'],
  conditional: true,
});

export const listSourceRejections = operation({
  method: 'GET',
  path: '/v1/sources/:id/rejections',
  tag: 'Sources',
  id: 'listSourceRejections',
  summary: 'List recently rejected webhooks, newest first',
  query: pageQuery,
  answers: { 200: page(rejection, 'Rejected webhooks that are still stored') },
  errors: ['gone'],
});

/** A body as text, or as base64. */
const bodyFields = { body: textOf({ maxLength: 2 * maxPayloadBytes }), body_encoding: textIn(['text', 'base64']) };
const headerValue = textOf({ maxLength: 16_384 });

/** With the scope `read`, since it changes nothing, and tells no more than the ingress tells everybody. */
export const verifyWebhook = operation({
  method: 'POST',
  path: '/v1/sources/:id/verify',
  tag: 'Sources',
  id: 'verifyWebhook',
  summary: 'Verify a webhook as the source does, and find out what is wrong with it',
  description:
    'Nothing is received. The body is text or base64 (`body_encoding`); `query` is that of the URL, which some schemes sign, `address` that of the sender.',
  access: { scope: 'read', audit: { none: 'it verifies what it was given, and changes nothing' } },
  body: closedObject(
    {
      headers: mapOf(oneOrMore(headerValue, { minItems: 1, maxItems: 20 }), {
        maxProperties: 200,
        propertyNames: headerName,
      }),
      body: bodyFields.body,
    },
    {
      body_encoding: bodyFields.body_encoding,
      query: textOf({
        maxLength: 8_192,
        pattern: '^$|^\\?',
        description: 'empty, or begin with a question mark',
      }),
      address: textOf({ maxLength: 64 }),
    },
  ),
  example: { headers: { 'X-Hub-Signature-256': 'sha256=0' }, body: '{"zen":"Keep it logically awesome."}' },
  answers: { 200: { is: 'The failed step, and what to do; or that the webhook is valid', body: verification.ref } },
  errors: ['gone'],
});

/** With the scope `write`, which can give the source another secret, and so sign all the same. */
export const sampleWebhook = operation({
  method: 'POST',
  path: '/v1/sources/:id/sample',
  tag: 'Sources',
  id: 'sampleWebhook',
  summary: 'Sign a sample webhook, ready to be sent to the source',
  description:
    'Nothing is sent. Its timestamp is now, so send it before the tolerance of the source has passed. Without a `body`, it is one with an id and a type where the source looks for them. 409 if the source has an Ed25519 key: that is a public one, and can’t sign.',
  access: { audit: { none: 'it signs a sample, and changes nothing' } },
  body: closedObject({}, bodyFields),
  example: { body: '{"zen":"Keep it logically awesome."}' },
  answers: { 200: { is: 'The signed request', body: sampleOfWebhook.ref } },
  errors: ['conflict', 'gone'],
});

export const sources = resource({
  tag: 'Sources',
  description:
    'Sources receive webhooks from a provider. Settings that are not set have the default that is shown, or the one of the scheme.',
  components: [source, sourceWithSecret, rotatedSecret, verification, sampleOfWebhook, rejection],
  operations: [
    createSource,
    listSources,
    getSource,
    updateSource,
    deleteSource,
    rotateSourceSecret,
    listSourceRejections,
    verifyWebhook,
    sampleWebhook,
  ],
});
