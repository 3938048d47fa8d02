import type { Client } from '#client';
import type { Source } from '#lib/api-contract';
import type { SourceSettings } from '#lib/contract';
import { apiVerbs, rotateSecretVerb } from '../api-calls/api-verb.ts';
import {
  bodyOfChange,
  changeOptions,
  jsonSetting,
  listOrJsonSetting,
  listSetting,
  readSettings,
  settingsOptions,
  type SettingSpec,
  textSetting,
} from '../options/settings-options.ts';
import { omitAbsent, queryOf, readBody, readHeaders } from '../options/values.ts';
import { columns } from '../output/print.ts';
import { flag, list, text } from '../verb.ts';

/** The settings of a source, besides its name and scheme. */
const sourceSettings = {
  dedup_id: listOrJsonSetting(
    'PLACE',
    'where the event’s identifier is: header:Name or a JSON pointer; a JSON list of them joins their values',
  ),
  dedup: textSetting('ON|OFF', 'off: each receipt is an event, whatever its identifier (default: on)'),
  dedup_ttl_seconds: jsonSetting('N', 'how long an identifier is remembered'),
  event_type_from: listSetting('PLACE', 'where the event’s type is'),
  ordering_key: listSetting('PLACE', 'where the ordering key is; webhooks with the same key stay in order'),
  tags_from: jsonSetting('JSON', 'where tags of events are: {"customer":"/data/customer","repo":"header:X-Repo"}'),
  signature_header: textSetting('NAME', 'the header of the signature (default: the scheme’s own)'),
  timestamp_tolerance_seconds: jsonSetting('N', 'how far a signed time may be from now'),
  public_url: textSetting('URL', 'the URL that the sender sends to, for schemes that sign it'),
  hmac: jsonSetting('JSON', '{"algorithm":"sha256","encoding":"hex","header":"X-Signature","signed":"body"}'),
  allowed_ips: listSetting('NETWORK', 'an address or network that may send'),
  rate_limit: jsonSetting('JSON', '{"per_second":100,"burst":200}'),
  client_certificate: jsonSetting('JSON', '{"required":true}'),
  verify_token: textSetting('TEXT', 'the token of GET challenges'),
  response_status: jsonSetting('STATUS', '200, 202 or 204'),
  keep_rejected_bodies: jsonSetting('BOOLEAN', 'true or false'),
} as const satisfies Record<keyof SourceSettings, SettingSpec>;

/** Warnings for the owner of a source: the API's advice, and identifiers that came back with another body. */
async function sourceWarnings({ id, advice, identified_by }: Source, api: Client): Promise<readonly string[]> {
  const query = { source_id: id, has: 'changed', order: 'desc' } as const;
  // With anything that an identifier counts together with, another body is another event.
  const changed = identified_by.with === null ? await api.list('GET /v1/events', 1, { query }) : [];
  return [
    ...advice,
    ...changed.map(
      (event) =>
        `identifiers came back with another body, such as ${'event_id' in event ? event.event_id : event.id}: each was a duplicate, which no endpoint gets. \
\`hookline events list --source ${id} --has changed\` shows them. If the webhooks were events of their own, name what tells them apart \
(--dedup-id '["/id","/updated_at"]'), take the default of today (--reset dedup_id), or make each receipt an event (--dedup off)`,
    ),
  ];
}

const { apiVerb, listVerb, endVerb } = apiVerbs('sources');

export const sources = {
  list: listVerb({
    summary: 'List the sources',
    description: 'Lists the sources that are not deleted, oldest first.',
    options: {
      failing: flag('sources that have rejected webhooks in the last ten minutes, and accepted none'),
      search: text('TEXT', 'sources with this text in the name'),
    },
    call: (api, { failing, search, most }) =>
      api.list('GET /v1/sources', most, { query: queryOf({ failing: failing ? 'true' : undefined, q: search }) }),
    show: columns('id', 'name', 'scheme', 'created_at'),
  }),
  show: apiVerb({
    summary: 'Show a source',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/sources/:id', { params }),
    warn: sourceWarnings,
  }),
  create: apiVerb({
    summary: 'Create a source; shows its secret once',
    description: 'Creates a source. Prints the URL to give to the provider, and the secret: it is shown this once.',
    options: {
      name: text('NAME', 'a name for people'),
      scheme: text('SCHEME', 'hookline, stripe, github, …'),
      secret: text('TEXT', 'the secret that the provider has generated (default: a new one)'),
      ...settingsOptions(sourceSettings),
    },
    async call(api, values, _given, context) {
      const { name, scheme, secret } = values;
      const body = {
        ...(await readSettings(context, values, sourceSettings)),
        ...omitAbsent({ name, scheme, secret }),
      };
      return api.call('POST /v1/sources', { body: JSON.stringify(body) });
    },
    warn: async ({ advice }) => advice,
  }),
  update: apiVerb({
    summary: 'Change or reset settings of a source',
    description: 'Changes the settings that are given and leaves the rest. In force everywhere within 2 seconds.',
    argument: 'id',
    options: {
      name: text('NAME', 'a name for people'),
      ...changeOptions('source'),
      ...settingsOptions(sourceSettings),
    },
    async call(api, values, params, context) {
      const given = { ...(await readSettings(context, values, sourceSettings)), ...omitAbsent({ name: values.name }) };
      const settings = Object.keys(sourceSettings);
      const body = bodyOfChange(given, values.reset, { thing: 'a source', settings });
      return api.call('PATCH /v1/sources/:id', { params, body, ifMatch: values['if-match'] });
    },
    warn: async ({ advice }) => advice,
  }),
  delete: endVerb({
    summary: 'Delete a source: its senders get 410',
    description: 'Deletes a source for good. Its senders get 410 within 2 seconds, and its id is never used again.',
    field: 'deleted',
    call: (api, given) => api.call('DELETE /v1/sources/:id', given),
  }),
  'rotate-secret': rotateSecretVerb('sources', {
    description: 'Prints the new secret: it is shown this once. Both secrets are valid until the overlap has passed.',
    secretHelp: 'the new secret that the provider has generated (default: a new one)',
  }),
  rejections: listVerb({
    summary: 'List recently rejected webhooks, and why',
    description: 'Lists the webhooks of a source that were rejected recently, newest first; --json adds their headers.',
    argument: 'id',
    limits: { max: 1_000, otherwise: 20 },
    call: (api, { most }, params) => api.list('GET /v1/sources/:id/rejections', most, { params }),
    show: columns('at', 'code', 'client_address', 'body_bytes'),
  }),
  verify: apiVerb({
    summary: 'Verify a webhook as a source does, and say what is wrong',
    description:
      'Verifies a webhook with the settings and secrets of a source: the step that fails, the answer of the ingress, and what to do. Nothing is received. Exits 1 if the webhook is not valid.',
    argument: 'id',
    options: {
      header: list("'Name: value'", 'a header of the request'),
      'body-file': text('FILE', 'the exact bytes of the body; - reads the standard input'),
      query: text('TEXT', 'the query of the URL, with its question mark'),
      address: text('IP', 'the address of the sender'),
    },
    async call(api, values, params, context) {
      const headers = Map.groupBy(readHeaders(values.header), ([name]) => name);
      const body = {
        headers: Object.fromEntries([...headers].map(([name, lines]) => [name, lines.map(([, value]) => value)])),
        body: (await readBody(context, values['body-file'])).toString('base64'),
        body_encoding: 'base64',
        query: values.query,
        address: values.address,
      };
      return api.call('POST /v1/sources/:id/verify', { params, body: JSON.stringify(body) });
    },
    exitCode: ({ verified }) => (verified ? 0 : 1),
  }),
  sample: apiVerb({
    summary: 'Print a signed sample webhook, as a curl command',
    description:
      'Signs a sample webhook with the secret of a source and prints the command that sends it. Its timestamp is now: send it soon. --json prints its headers and its body.',
    argument: 'id',
    options: { 'body-file': text('FILE', 'the body to sign (default: a sample); - reads the standard input') },
    async call(api, { 'body-file': file }, params, context) {
      const body =
        file === undefined ? {} : { body: (await readBody(context, file)).toString('base64'), body_encoding: 'base64' };
      return api.call('POST /v1/sources/:id/sample', { params, body: JSON.stringify(body) });
    },
    show: ({ curl }) => curl,
  }),
};
