import { endpointDefaults, type EndpointSettings } from '#lib/contract';
import { usageFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { readTextFile } from '../../options/read-text-file.ts';
import {
  jsonSetting,
  listSetting,
  readSettings,
  type SettingSpec,
  settingsOptions,
  textSetting,
} from '../../options/settings-options.ts';
import { text } from '../../verb.ts';

/** The settings of an endpoint; a client certificate comes from files. */
const settings = {
  url: textSetting('URL', 'where deliveries are sent'),
  description: textSetting('TEXT', 'a description for people'),
  event_types: listSetting('TYPE', 'deliver events of this type (default: all)'),
  source_ids: listSetting('ID', 'deliver events of this source (default: all)'),
  filter: jsonSetting('JSON', 'deliver events whose payload matches: {"data.amount":{"$gt":100}}'),
  method: textSetting('METHOD', 'POST, PUT, PATCH or DELETE (default: POST)'),
  headers: jsonSetting('JSON', 'headers of each delivery: {"Authorization":"Bearer …"}; null removes one'),
  pass_headers: listSetting('NAME', 'pass this header of the provider on; X-GitHub-*: all that begin so'),
  timeout_ms: jsonSetting('N', 'how long the endpoint may take to answer'),
  max_in_flight: jsonSetting('N', 'how many deliveries may be in flight at once'),
  rate_limit: jsonSetting('JSON', '{"per_second":100,"burst":200}'),
  ordered: jsonSetting(
    'BOOLEAN',
    'true: events with the same ordering key are delivered one after the other, in order',
  ),
  retry: jsonSetting(
    'JSON',
    `the retry schedule: ${JSON.stringify({ ...endpointDefaults.retry, max_attempts: 20 })}, or {"schedule":[60,300,3600],"jitter":0.1}; base_seconds and each wait at least 1`,
  ),
  proxy: textSetting('URL', 'the proxy to deliver through: http://user:password@host:port'),
  ed25519: jsonSetting('BOOLEAN', 'true: sign with a key pair too (v1a); the endpoint shows its public keys'),
  expires_in: jsonSetting('SECONDS', 'delete it after so many seconds, 60 to 2592000 (default: never)'),
} as const satisfies Record<
  | Exclude<keyof EndpointSettings, 'client_certificate'>
  | 'url'
  | 'description'
  | 'event_types'
  | 'source_ids'
  | 'filter'
  | 'expires_in',
  SettingSpec
>;

export const endpointOptions = {
  'client-certificate-file': text('FILE', 'the client certificate with its chain, PEM; with --client-key-file'),
  'client-key-file': text('FILE', 'the private key of the client certificate, PEM'),
  ...settingsOptions(settings),
};

/** The settings that have a default to be reset to. */
export const resettableSettings = [...Object.keys(settings).filter((name) => name !== 'url'), 'client_certificate'];

type Values = Parameters<typeof readSettings>[1] & {
  'client-certificate-file'?: string | undefined;
  'client-key-file'?: string | undefined;
};

/** The settings that the call gives. The API validates them. */
export async function readEndpoint(context: Context, values: Values): Promise<Record<string, unknown>> {
  return { ...(await readSettings(context, values, settings)), ...(await readClientCertificate(context, values)) };
}

async function readClientCertificate(context: Context, values: Values): Promise<object> {
  const { 'client-certificate-file': certificate, 'client-key-file': key } = values;
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined)
    throw usageFailure('--client-certificate-file and --client-key-file go together');
  return {
    client_certificate: {
      certificate: await readTextFile(context, 'client-certificate-file', certificate),
      private_key: await readTextFile(context, 'client-key-file', key),
    },
  };
}
