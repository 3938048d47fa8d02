import { sourceSchemes } from '#lib/contract';
import { settingsFields } from '../../settings/source-settings.ts';
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
} from '../schema.ts';

const { dedup_ttl_seconds, timestamp_tolerance_seconds, response_status, dedup_id } = settingsFields;
const places = list(dedup_id.then);

/** Settings as they are shown: places are lists, and a secret only shows that it is set. */
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
};
