import { readFileSync } from 'node:fs';
import type { SourceSettings } from '#lib/contract';
import { usageFailure } from '../../command.ts';

/** How an option's text becomes a setting: `text` as it is, `list` as often as it is given, the others as JSON. */
type Form = 'text' | 'list' | 'json';

const forms = {
  signature_header: 'text',
  hmac: 'json',
  public_url: 'text',
  dedup_id: 'list',
  dedup_ttl_seconds: 'json',
  event_type_from: 'list',
  ordering_key: 'list',
  timestamp_tolerance_seconds: 'json',
  allowed_ips: 'list',
  rate_limit: 'json',
  response_status: 'json',
  client_certificate: 'json',
  verify_token: 'text',
  keep_rejected_bodies: 'json',
} as const satisfies Record<keyof SourceSettings, Form>;

type OptionValues = Readonly<Record<string, string | string[] | boolean | undefined>>;

const optionOf = (setting: string): string => setting.replaceAll('_', '-');

/** An option for each setting, `--dedup-id` for `dedup_id`; and `--from-file` for all of them. */
export const settingsOptions = {
  ...(Object.fromEntries(
    Object.entries(forms).map(([setting, form]) => [optionOf(setting), { type: 'string', multiple: form === 'list' }]),
  ) as Record<string, { type: 'string'; multiple: boolean }>),
  'from-file': { type: 'string' },
} as const;

export const settingNames = Object.keys(forms);

/** The settings that a call gives, the file's first. What they may be is for the API to say. */
export function readSettings(values: OptionValues): Record<string, unknown> {
  const { 'from-file': file } = values;
  const settings: Record<string, unknown> = typeof file === 'string' ? readSettingsFile(file) : {};
  for (const [setting, form] of Object.entries(forms)) {
    const value = values[optionOf(setting)];
    if (value === undefined) continue;
    settings[setting] = form === 'json' && typeof value === 'string' ? readJson(optionOf(setting), value) : value;
  }
  return settings;
}

function readSettingsFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageFailure(`--from-file: ${(error as Error).message}`);
  }
  const settings = readJson('from-file', text);
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    return settings as Record<string, unknown>;
  throw usageFailure('--from-file must hold a JSON object');
}

function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageFailure(`--${option} is not JSON: ${text.slice(0, 100)}`);
  }
}

export const settingsHelp = `  --dedup-id PLACE             where the event's identifier is: header:Name or a JSON pointer; repeatable
  --dedup-ttl-seconds N        how long an identifier is remembered
  --event-type-from PLACE      where the event's type is; repeatable
  --ordering-key PLACE         webhooks of one key stay in order; repeatable
  --signature-header NAME      where the signature is, if not where the scheme has it
  --timestamp-tolerance-seconds N
  --public-url URL             where the sender believes to send (square, twilio, url in hmac)
  --hmac JSON                  {"algorithm":"sha256","encoding":"hex","header":"X-Signature","signed":"body"}
  --allowed-ips NETWORK        who may send, an address or a network; repeatable
  --rate-limit JSON            {"per_second":100,"burst":200}
  --client-certificate JSON    {"required":true}
  --verify-token TEXT          for GET challenges
  --response-status 200|202|204
  --keep-rejected-bodies true|false
  --from-file FILE             all of them from a JSON object; options go over it`;
