import { sourceSchemes } from '#lib/contract';
import { settingsFields } from '../../settings/source-settings.ts';
import { type DocumentedResource, page } from '../operation.ts';
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
} from '../schema.ts';

const { dedup_ttl_seconds, timestamp_tolerance_seconds, response_status, dedup_id } = settingsFields;
const places = list(dedup_id.then);

/** What was set, as it is shown: places are lists, and of what is secret it is told that it is set. */
const settings: Record<string, Schema> = {
  ...settingsFields,
  dedup_id: places,
  event_type_from: places,
  ordering_key: places,
  verify_token_set: saying('there is a verify token; it is not shown', flag),
};
delete settings['verify_token'];

const source = object(
  {
    id: id('src'),
    name: text,
    scheme: oneOf(sourceSchemes),
    ingest_url: saying('where the sender posts its webhooks', { type: 'string', format: 'uri' }),
    dedup_ttl_seconds,
    timestamp_tolerance_seconds,
    response_status,
    created_at: time,
  },
  settings,
);

const secret = saying('shown in this answer alone', text);

export const documentedSources: DocumentedResource = {
  tag: 'Sources',
  description: 'Where webhooks come from. What was not set is left to its default, which is shown, or to the scheme.',
  schemas: {
    Source: source,
    SourceWithSecret: extend(source, { secret }),
    RotatedSecret: object({
      secret,
      previous_expires_at: saying('until when the one before is valid; null: no longer', nullable(time)),
    }),
    Rejection: object(
      {
        id: id('rej'),
        at: time,
        code: saying('the code of the error that the sender got', text),
        client_address: text,
        headers: saying('what may be a secret is masked', map({})),
        body_bytes: nullable(count),
      },
      { body: text, body_encoding: oneOf(['utf-8', 'base64']), body_truncated: flag },
    ),
  },
  operations: {
    'POST /v1/sources': {
      id: 'createSource',
      summary: 'Create a source',
      answers: { 201: { is: 'The source, with its secret', body: 'SourceWithSecret', headers: ['Location', 'ETag'] } },
      errors: ['limit_reached'],
    },
    'GET /v1/sources': {
      id: 'listSources',
      summary: 'List sources, the oldest first',
      answers: { 200: page('Source', 'Those that are not deleted') },
    },
    'GET /v1/sources/:id': {
      id: 'getSource',
      summary: 'Read a source',
      answers: { 200: { is: 'The source', body: 'Source', headers: ['ETag'] } },
      errors: ['gone'],
    },
    'PATCH /v1/sources/:id': {
      id: 'updateSource',
      summary: 'Change a source',
      description:
        'JSON merge patch: `null` resets a setting to its default. The scheme and the secret are not changed here.',
      answers: { 200: { is: 'The source as it is now', body: 'Source', headers: ['ETag'] } },
      errors: ['limit_reached'],
      conditional: true,
      patchOf: 'POST /v1/sources',
    },
    'DELETE /v1/sources/:id': {
      id: 'deleteSource',
      summary: 'Delete a source: its senders get 410',
      answers: { 204: { is: 'It is deleted' } },
      conditional: true,
    },
    'POST /v1/sources/:id/rotate-secret': {
      id: 'rotateSourceSecret',
      summary: 'Give a source another secret; the one before stays valid for a while',
      answers: { 200: { is: 'The new secret', body: 'RotatedSecret' } },
      errors: ['conflict'],
      conditional: true,
    },
    'GET /v1/sources/:id/rejections': {
      id: 'listSourceRejections',
      summary: 'List the webhooks that were refused lately, the newest first',
      answers: { 200: page('Rejection', 'What is kept of them') },
      errors: ['gone'],
    },
  },
};
