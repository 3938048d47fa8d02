import type { EndpointSettings } from '#lib/contract';
import { usageFailure } from '../../command.ts';
import { readTextFile } from '../../read-text-file.ts';
import { readSettings, type SettingForm, settingsOptions } from '../../settings-options.ts';

/** What an endpoint has, and how options give it; a client certificate comes from files. */
const forms = {
  url: 'text',
  description: 'text',
  event_types: 'list',
  source_ids: 'list',
  filter: 'json',
  method: 'text',
  headers: 'json',
  timeout_ms: 'json',
  max_in_flight: 'json',
  rate_limit: 'json',
  ordered: 'json',
  retry: 'json',
  proxy: 'text',
  ed25519: 'json',
} as const satisfies Record<
  | Exclude<keyof EndpointSettings, 'client_certificate'>
  | 'url'
  | 'description'
  | 'event_types'
  | 'source_ids'
  | 'filter',
  SettingForm
>;

export const endpointOptions = {
  ...settingsOptions(forms),
  'client-certificate-file': { type: 'string' },
  'client-key-file': { type: 'string' },
} as const;

/** Those that can be taken back to their defaults. */
export const resettableSettings = [...Object.keys(forms).filter((name) => name !== 'url'), 'client_certificate'];

type Values = Parameters<typeof readSettings>[0] & {
  'client-certificate-file'?: string;
  'client-key-file'?: string;
};

/** The settings that a call gives. What they may be is for the API to say. */
export function readEndpoint(values: Values): Record<string, unknown> {
  return { ...readSettings(values, forms), ...readClientCertificate(values) };
}

function readClientCertificate(values: Values): object {
  const { 'client-certificate-file': certificate, 'client-key-file': key } = values;
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined)
    throw usageFailure('--client-certificate-file and --client-key-file go together');
  return {
    client_certificate: {
      certificate: readTextFile('client-certificate-file', certificate),
      private_key: readTextFile('client-key-file', key),
    },
  };
}

export const settingsHelp = `  --description TEXT
  --event-types TYPE           the events that it gets; repeatable (default: all)
  --source-ids ID              those of this source; repeatable (default: all)
  --filter JSON                those whose payload is such: {"data.amount":{"$gt":100}}
  --method METHOD              POST, PUT, PATCH or DELETE (default: POST)
  --headers JSON               sent with each delivery: {"Authorization":"Bearer …"}; null removes one
  --timeout-ms N               how long it has to answer
  --max-in-flight N            deliveries to it at one time
  --rate-limit JSON            {"per_second":100,"burst":200}
  --ordered true|false         events of one ordering key in their order, each after the one before has ended
  --retry JSON                 {"base_seconds":5,"cap_seconds":43200,"window_seconds":259200,"max_attempts":20}, or
                               {"schedule":[60,300,3600],"jitter":0.1}
  --proxy URL                  http://user:password@host:port, through which it is reached
  --client-certificate-file FILE, --client-key-file FILE
                               shown to it in TLS: PEM, the certificate with its chain
  --ed25519 true|false         signed with a key pair too (v1a); the endpoint shows its public keys
  --from-file FILE             all of them from a JSON object; options go over it`;
