import { maxPayloadBytes, sourceSchemes } from '#lib/contract';
import { displayName, headerName, locator, searchText, secret, wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, resource } from './operation.ts';
import * as t from './schema.ts';
import { shownSettings, sourceSettings } from './source-settings.ts';

const operation = operationsOf('Sources');

const { dedup, dedup_ttl_seconds, timestamp_tolerance_seconds, response_status } = sourceSettings;
const places = t.list(locator);
const identifierPlaces = t.list(t.either(locator, places));

/** As it is shown: places are lists, and a secret only shows that it is set. */
const source = component(
  'Source',
  t.object(
    {
      id: t.id('src'),
      name: t.text,
      scheme: t.oneOf(sourceSchemes),
      ingest_url: t.saying('where the sender posts its webhooks', t.textOf({ format: 'uri' })),
      dedup,
      identified_by: t.object({
        places: t.saying(
          'where the identifier is looked for, in this order; a list joins its values',
          identifierPlaces,
        ),
        with: t.saying(
          'what the identifier counts together with: `body`, `receipt` (each is an event), or a header; null: it is exact',
          t.nullable(t.text),
        ),
      }),
      advice: t.saying('what is probably not as it is meant', t.list(t.text)),
      dedup_ttl_seconds,
      timestamp_tolerance_seconds,
      response_status,
      created_at: t.time,
    },
    {
      ...shownSettings,
      dedup_id: identifierPlaces,
      event_type_from: places,
      ordering_key: places,
      verify_token_set: t.saying('whether a verify token is set; the token is not shown', t.flag),
    },
  ),
);

export type Source = t.Static<typeof source.schema>;

const shownSecret = t.saying('shown only in this response', t.text);
const sourceWithSecret = component('SourceWithSecret', t.extend(source.schema, { secret: shownSecret }));

export const rotatedSecret = component(
  'RotatedSecret',
  t.object({
    secret: shownSecret,
    previous_expires_at: t.saying(
      'time until which the previous secret stays valid; null: it is invalid already',
      t.nullable(t.time),
    ),
  }),
);

/** The steps in which the ingress checks a webhook, in their order. */
const verificationSteps = ['address', 'length', 'signature_header', 'timestamp', 'signature'] as const;

const verification = component(
  'Verification',
  t.object({
    verified: t.flag,
    step: t.saying('the step that failed', t.oneOf([...verificationSteps, null])),
    status: t.saying('status that the ingress answers with', t.count),
    code: t.saying('error code that the ingress answers with', t.nullable(t.text)),
    detail: t.saying('what to do', t.text),
    challenge: t.saying('a connection test of the provider, which makes no event', t.flag),
    not_checked: t.saying(
      'what the ingress checks besides: the address if `address` was not given, and the client certificate',
      t.list(t.oneOf(['address', 'client_certificate'])),
    ),
  }),
);

export type Verification = t.Static<typeof verification.schema>;

const sampleOfWebhook = component(
  'SampleWebhook',
  t.object({
    method: t.text,
    url: t.text,
    headers: t.map(t.text),
    body: t.text,
    body_encoding: t.oneOf(['text', 'base64']),
    curl: t.saying('a shell command that sends it', t.text),
  }),
);

const rejection = component(
  'Rejection',
  t.object(
    {
      id: t.id('rej'),
      at: t.time,
      code: t.saying('error code that the sender received', t.text),
      client_address: t.text,
      headers: t.saying('possible secrets are masked', t.map(t.unknownValue)),
      body_bytes: t.nullable(t.count),
    },
    { body: t.text, body_encoding: t.oneOf(['utf-8', 'base64']), body_truncated: t.flag },
  ),
);

export type Rejection = t.Static<typeof rejection.schema>;

export const createSource = operation('POST', '/v1/sources', {
  summary: 'Create a source',
  access: { audit: 'source.create' },
  body: t.closedObject({ name: displayName, scheme: t.textIn(sourceSchemes) }, { secret, ...sourceSettings }),
  example: { name: 'Shop', scheme: 'standard-webhooks' },
  answers: {
    201: answer(sourceWithSecret, 'The source, with its secret', 'Location', 'ETag'),
  },
  errors: ['limit_reached'],
});

export const listSources = operation('GET', '/v1/sources', {
  summary: 'List sources, oldest first',
  query: {
    failing: parameter(
      t.textIn(['true', 'false']),
      '`true`: it has rejected webhooks in the last ten minutes, and accepted none',
    ),
    q: parameter(searchText, 'text in the name, in upper or lower case'),
    ...pageQuery,
  },
  answers: { 200: page(source, 'Sources that are not deleted') },
});

export const getSource = operation('GET', '/v1/sources/:id', {
  summary: 'Read a source',
  answers: { 200: answer(source, 'The source', 'ETag') },
  errors: ['gone'],
});

/** A source after a change: its scheme and its secrets stay. */
export const changedSource = t.closedObject({ name: displayName }, sourceSettings);

export const updateSource = operation('PATCH', '/v1/sources/:id', {
  summary: 'Change a source',
  description:
    'JSON merge patch: `null` resets a setting to its default. The scheme and the secret cannot be changed here. Where nothing changes, ETag and audit stay as they are.',
  access: { audit: 'source.update' },
  body: t.patchOf(changedSource, 'scheme', 'secret'),
  example: { name: 'Shop, production' },
  answers: { 200: answer(source, 'The source after the change', 'ETag') },
  errors: ['limit_reached'],
  conditional: true,
  patchOf: 'POST /v1/sources',
});

export const deleteSource = operation('DELETE', '/v1/sources/:id', {
  summary: 'Delete a source; its senders get 410',
  access: { audit: 'source.delete' },
  answers: { 204: { is: 'The source is deleted' } },
  conditional: true,
});

export const rotation = t.optionalFields({ overlap_seconds: wholeNumber(0, 30 * 24 * 3_600), secret });

export const rotateSourceSecret = operation('POST', '/v1/sources/:id/rotate-secret', {
  summary: 'Rotate the secret of a source; the previous secret stays valid during the overlap',
  access: { audit: 'source.rotate_secret' },
  body: rotation,
  example: { overlap_seconds: 86_400 },
  answers: { 200: answer(rotatedSecret, 'The new secret') },
  errors: ['conflict'],
  conditional: true,
});

export const listSourceRejections = operation('GET', '/v1/sources/:id/rejections', {
  summary: 'List recently rejected webhooks, newest first',
  query: pageQuery,
  answers: { 200: page(rejection, 'Rejected webhooks that are still stored') },
  errors: ['gone'],
});

/** A body as text, or as base64. */
const bodyFields = { body: t.textOf({ maxLength: 2 * maxPayloadBytes }), body_encoding: t.textIn(['text', 'base64']) };
const headerValue = t.textOf({ maxLength: 16_384 });

/** With the scope `read`, since it changes nothing, and tells no more than the ingress tells everybody. */
export const verifyWebhook = operation('POST', '/v1/sources/:id/verify', {
  summary: 'Verify a webhook as the source does, and find out what is wrong with it',
  description:
    'Nothing is received. The body is text or base64 (`body_encoding`); `query` is that of the URL, which some schemes sign, `address` that of the sender.',
  access: { scope: 'read', audit: { none: 'it verifies what it was given, and changes nothing' } },
  body: t.closedObject(
    {
      headers: t.mapOf(t.oneOrMore(headerValue, { minItems: 1, maxItems: 20 }), {
        maxProperties: 200,
        propertyNames: headerName,
      }),
      body: bodyFields.body,
    },
    {
      body_encoding: bodyFields.body_encoding,
      query: t.textOf({
        maxLength: 8_192,
        pattern: '^$|^\\?',
        description: 'empty, or begin with a question mark',
      }),
      address: t.textOf({ maxLength: 64 }),
    },
  ),
  example: { headers: { 'X-Hub-Signature-256': 'sha256=0' }, body: '{"zen":"Keep it logically awesome."}' },
  answers: { 200: answer(verification, 'The failed step, and what to do; or that the webhook is valid') },
  errors: ['gone'],
});

/** With the scope `write`, which can give the source another secret, and so sign all the same. */
export const sampleWebhook = operation('POST', '/v1/sources/:id/sample', {
  summary: 'Sign a sample webhook, ready to be sent to the source',
  description:
    'Nothing is sent. Its timestamp is now, so send it before the tolerance of the source has passed. Without a `body`, it is one with an id and a type where the source looks for them. 409 if the source has an Ed25519 key: that is a public one, and can’t sign.',
  access: { audit: { none: 'it signs a sample, and changes nothing' } },
  body: t.optionalFields(bodyFields),
  example: { body: '{"zen":"Keep it logically awesome."}' },
  answers: { 200: answer(sampleOfWebhook, 'The signed request') },
  errors: ['conflict', 'gone'],
});

export const sources = resource({
  tag: 'Sources',
  description:
    'Sources receive webhooks from a provider. Settings that are not set have the default that is shown, or the one of the scheme.',
  components: [source, sourceWithSecret, rotatedSecret, verification, sampleOfWebhook, rejection],
  operations: {
    createSource,
    listSources,
    getSource,
    updateSource,
    deleteSource,
    rotateSourceSecret,
    listSourceRejections,
    verifyWebhook,
    sampleWebhook,
  },
});
