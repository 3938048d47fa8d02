import { sourceSchemes } from '#lib/contract';
import { settingsFields } from '../../settings/source-settings.ts';
import { verificationSteps } from '../../verifying/steps.ts';
import type { DocumentedResource } from '../operation.ts';
import {
  count,
  extend,
  flag,
  id,
  list,
  map,
  nullable,
  object,
  oneOf,
  saying,
  type Schema,
  text,
  time,
} from '#lib/api-contract';

const { dedup, dedup_ttl_seconds, timestamp_tolerance_seconds, response_status, ordering_key } = settingsFields;
const place = ordering_key.then;
const places = list(place);
const identifierPlaces = list({ anyOf: [place, places] });

/** Settings as they are shown: places are lists, and a secret only shows that it is set. */
const settings: Record<string, Schema> = {
  ...settingsFields,
  dedup_id: identifierPlaces,
  event_type_from: places,
  ordering_key: places,
  verify_token_set: saying('whether a verify token is set; the token is not shown', flag),
};
delete settings['verify_token'];

const source = object(
  {
    id: id('src'),
    name: text,
    scheme: oneOf(sourceSchemes),
    ingest_url: saying('where the sender posts its webhooks', { type: 'string', format: 'uri' }),
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
  settings,
);

const secret = saying('shown only in this response', text);

export const documentedSources: DocumentedResource = {
  tag: 'Sources',
  description:
    'Sources receive webhooks from a provider. Settings that are not set have the default that is shown, or the one of the scheme.',
  schemas: {
    Source: source,
    SourceWithSecret: extend(source, { secret }),
    RotatedSecret: object({
      secret,
      previous_expires_at: saying(
        'time until which the previous secret stays valid; null: it is invalid already',
        nullable(time),
      ),
    }),
    Verification: object({
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
    SampleWebhook: object({
      method: text,
      url: text,
      headers: map(text),
      body: text,
      body_encoding: oneOf(['text', 'base64']),
      curl: saying('a shell command that sends it', text),
    }),
    Rejection: object(
      {
        id: id('rej'),
        at: time,
        code: saying('error code that the sender received', text),
        client_address: text,
        headers: saying('possible secrets are masked', map({})),
        body_bytes: nullable(count),
      },
      { body: text, body_encoding: oneOf(['utf-8', 'base64']), body_truncated: flag },
    ),
  },
};
