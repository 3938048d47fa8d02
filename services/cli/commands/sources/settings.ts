import type { SourceSettings } from '#lib/contract';
import {
  jsonSetting,
  listOrJsonSetting,
  listSetting,
  type SettingSpec,
  textSetting,
} from '../../options/settings-options.ts';

/** The settings of a source, besides its name and scheme. */
export const sourceSettings = {
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
