import type { SourceSettings } from '#lib/contract';
import { headerName, identifierPlaces, locators, rateLimit, secret, wholeNumber } from './fields.ts';
import * as t from './schema.ts';
import { tagsFrom } from './tags.ts';

const hmac = t.closedObject(
  {
    algorithm: t.textIn(['sha1', 'sha256', 'sha384', 'sha512']),
    encoding: t.textIn(['hex', 'base64', 'base64url']),
    header: headerName,
    // Its grammar is the scheme's own business.
    signed: t.textOf({ minLength: 1, maxLength: 200 }),
  },
  {
    prefix: t.textOf({ maxLength: 100, pattern: '^[\\x20-\\x7e]*$', description: 'printable ASCII' }),
    timestamp_header: headerName,
    id_header: headerName,
  },
);

const clientCertificate = t.closedObject(
  { required: t.flag },
  {
    fingerprints: t.list(
      t.textOf({
        maxLength: 95,
        pattern: '^(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$',
        description: 'the SHA-256 fingerprint of a certificate: 64 hex digits, with or without colons',
      }),
      { minItems: 1, maxItems: 100 },
    ),
  },
);

/** Settings of a source that are shown as they were given. */
export const shownSettings = {
  signature_header: headerName,
  hmac,
  public_url: {
    type: 'string',
    maxLength: 2_048,
    pattern: '^https?://[!-"$-~]+$',
    description: 'an absolute http or https URL without a fragment',
  },
  dedup_id: identifierPlaces,
  dedup: t.textIn(['on', 'off']),
  dedup_ttl_seconds: wholeNumber(60, 30 * 24 * 3600),
  event_type_from: locators,
  ordering_key: locators,
  tags_from: tagsFrom,
  timestamp_tolerance_seconds: wholeNumber(1, 24 * 3600),
  allowed_ips: t.list(t.textOf({ maxLength: 64 }), { minItems: 1, maxItems: 1_000 }),
  rate_limit: rateLimit,
  response_status: { type: 'integer', enum: [200, 202, 204] },
  client_certificate: clientCertificate,
  keep_rejected_bodies: t.flag,
} as const;

/** Settings of a source, as they are given. How they go together is checked beside. */
export const sourceSettings = {
  ...shownSettings,
  // Compared unchanged, as part of a URL: not trimmed.
  verify_token: secret,
} as const satisfies Record<keyof SourceSettings, object>;
