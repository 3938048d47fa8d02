import type { HeaderValues, SchemeSettings, SignatureRejection } from './scheme.ts';

/** No provider's is longer: a rotation sends two signatures of some hundred characters. */
export const maxHeaderLength = 4_096;

/** The text of a header that is there once, in characters that all sides read as the same bytes. */
export function plainHeader(headers: HeaderValues, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value.length <= maxHeaderLength && /^[\x20-\x7e]+$/.test(value)
    ? value
    : undefined;
}

/**
 * The signature in a header that contains nothing else. Text in another format is a wrong signature; `signature_malformed` is for an empty
 * header, and for headers of several parts.
 */
export function readSignature(
  headers: HeaderValues,
  name: string,
  prefix = '',
): { signature: string } | { rejection: SignatureRejection } {
  const given = headers[name];
  if (given === undefined) return { rejection: 'signature_missing' };
  if (given === '') return { rejection: 'signature_malformed' };
  if (typeof given !== 'string' || given.length > maxHeaderLength || !given.startsWith(prefix)) {
    return { rejection: 'signature_invalid' };
  }
  return { signature: given.slice(prefix.length) };
}

/** The header's name in its provider's spelling, unless the source sets another. */
export function spelled(name: string, settings: SchemeSettings): string {
  return settings.signatureHeader === name.toLowerCase() ? name : settings.signatureHeader;
}
