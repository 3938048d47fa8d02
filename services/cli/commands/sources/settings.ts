import type { SourceSettings } from '#lib/contract';
import type { SettingForm } from '../../settings-options.ts';

/** What a source has, beside its name and scheme, and how options give it. */
export const sourceSettings = {
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
} as const satisfies Record<keyof SourceSettings, SettingForm>;

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
