import { sourceSettings } from '#lib/api-contract';
import type { SourceScheme, SourceSettings } from '#lib/contract';
import { isNetwork } from '#lib/net';
import { schemeProblems, signatureSchemes } from '#lib/signatures';
import type { FieldErrors } from '../http/send-problem.ts';
import { tagNameErrors } from '../settings/tags.ts';

/** The client's form of `SourceSettings`. */
export interface GivenSettings extends Omit<SourceSettings, 'dedup_id' | 'event_type_from' | 'ordering_key'> {
  dedup_id?: string | (string | string[])[];
  event_type_from?: string | string[];
  ordering_key?: string | string[];
}

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
      : [{ field: '/public_url', message: `must be ${sourceSettings.public_url.description}` }]),
    ...allowedIps.flatMap((text, index) =>
      isNetwork(text)
        ? []
        : [{ field: `/allowed_ips/${index}`, message: 'must be an address or a network such as 192.0.2.0/24' }],
    ),
  ];
}

/** Sentences for the owner of a source whose settings are valid, and probably not what is meant. */
export function sourceAdvice(name: SourceScheme, { hmac }: SourceSettings): string[] {
  const header = hmac?.header.toLowerCase();
  if (name !== 'hmac' || header === undefined) return [];
  return Object.entries(signatureSchemes).flatMap(([known, { signatureHeader }]) =>
    known !== name && signatureHeader === header
      ? [
          `The header ${hmac?.header} is that of the scheme ${known}, which also knows where its events have their identifiers and types: create a source with that scheme`,
        ]
      : [],
  );
}
