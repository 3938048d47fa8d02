import { rateLimit, wholeNumber } from '#lib/api-contract';
import { type HmacSettings, type SourceScheme, type SourceSettings } from '#lib/contract';
import { isNetwork } from '#lib/networks';
import { schemeProblems } from '#lib/signatures';
import type { FieldErrors } from '../http/send-problem.ts';
import { headerName, identifierPlaces, locators, secret } from './fields.ts';
import { tagNameErrors, tagsFrom } from './tags.ts';

/** The client's form of `SourceSettings`. */
export interface GivenSettings extends Omit<SourceSettings, 'dedup_id' | 'event_type_from' | 'ordering_key'> {
  dedup_id?: string | (string | string[])[];
  event_type_from?: string | string[];
  ordering_key?: string | string[];
}

const hmac = {
  type: 'object',
  additionalProperties: false,
  required: ['algorithm', 'encoding', 'header', 'signed'],
  properties: {
    algorithm: { type: 'string', enum: ['sha1', 'sha256', 'sha384', 'sha512'] },
    encoding: { type: 'string', enum: ['hex', 'base64', 'base64url'] },
    header: headerName,
    prefix: { type: 'string', maxLength: 100, pattern: '^[\\x20-\\x7e]*$', description: 'printable ASCII' },
    // Its grammar is the scheme's own business.
    signed: { type: 'string', minLength: 1, maxLength: 200 },
    timestamp_header: headerName,
    id_header: headerName,
  } satisfies Record<keyof HmacSettings, object>,
} as const;

const clientCertificate = {
  type: 'object',
  additionalProperties: false,
  required: ['required'],
  properties: {
    required: { type: 'boolean' },
    fingerprints: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'string',
        maxLength: 95,
        pattern: '^(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$',
        description: 'the SHA-256 fingerprint of a certificate: 64 hex digits, with or without colons',
      },
    },
  },
} as const;

/** Schemas of a source's settings. `settingsErrors` checks how they go together. */
export const settingsFields = {
  signature_header: headerName,
  hmac,
  public_url: {
    type: 'string',
    maxLength: 2_048,
    pattern: '^https?://[!-"$-~]+$',
    description: 'an absolute http or https URL without a fragment',
  },
  dedup_id: identifierPlaces,
  dedup: { type: 'string', enum: ['on', 'off'] },
  dedup_ttl_seconds: wholeNumber(60, 30 * 24 * 3600),
  event_type_from: locators,
  ordering_key: locators,
  tags_from: tagsFrom,
  timestamp_tolerance_seconds: wholeNumber(1, 24 * 3600),
  allowed_ips: { type: 'array', minItems: 1, maxItems: 1_000, items: { type: 'string', maxLength: 64 } },
  rate_limit: rateLimit,
  response_status: { type: 'integer', enum: [200, 202, 204] },
  client_certificate: clientCertificate,
  // Compared unchanged, as part of a URL: not trimmed.
  verify_token: secret,
  keep_rejected_bodies: { type: 'boolean' },
} as const satisfies Record<keyof SourceSettings, object>;

/** As they are stored, and read by the ingress: one form of each. */
export function normalizeSettings(given: GivenSettings): SourceSettings {
  const { dedup_id, event_type_from, ordering_key, client_certificate, ...settings } = given;
  const { fingerprints } = client_certificate ?? {};
  return {
    ...settings,
    ...(dedup_id !== undefined && { dedup_id: typeof dedup_id === 'string' ? [dedup_id] : dedup_id }),
    ...(event_type_from !== undefined && { event_type_from: asList(event_type_from) }),
    ...(ordering_key !== undefined && { ordering_key: asList(ordering_key) }),
    ...(client_certificate !== undefined && {
      client_certificate: {
        ...client_certificate,
        ...(fingerprints !== undefined && {
          fingerprints: fingerprints.map((hex) => hex.replaceAll(':', '').toLowerCase()),
        }),
      },
    }),
  };
}

const asList = (given: string | string[]): string[] => (typeof given === 'string' ? [given] : given);

/** Checks across fields: which settings the scheme needs, and which texts are addresses and URLs. */
export function settingsErrors(
  scheme: SourceScheme,
  source: { settings: SourceSettings; secret: string },
): FieldErrors {
  const { public_url: publicUrl, allowed_ips: allowedIps = [], tags_from: tags = {} } = source.settings;
  return [
    ...schemeProblems(scheme, source),
    ...tagNameErrors('/tags_from', tags),
    ...(publicUrl === undefined || URL.canParse(publicUrl)
      ? []
      : [{ field: '/public_url', message: `must be ${settingsFields.public_url.description}` }]),
    ...allowedIps.flatMap((text, index) =>
      isNetwork(text)
        ? []
        : [{ field: `/allowed_ips/${index}`, message: 'must be an address or a network such as 192.0.2.0/24' }],
    ),
  ];
}
