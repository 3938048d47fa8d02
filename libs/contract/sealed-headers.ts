/**
 * Headers of a webhook that may be secrets, where an endpoint names them (`pass_headers`): the ingress seals their values, what lies between
 * can't read them, and the dispatcher opens them for the request that it sends. They are never shown.
 */
import type { SecretBox } from '#lib/secret-box';

/** By lower-case name: the sealed values in base64, in the order in which they came. */
export type SealedHeaders = Readonly<Record<string, readonly string[]>>;

interface HeaderOf {
  tenant: string;
  /** Lower-case. */
  name: string;
}

/** A value opens for its tenant and under its name alone. */
const contextOf = ({ tenant, name }: HeaderOf): string => `webhooks/${tenant}/headers/${name}`;

/** @param value as Node has it: a character is a byte */
export const sealHeader = (box: Pick<SecretBox, 'seal'>, header: HeaderOf, value: string): string =>
  box.seal(Buffer.from(value, 'latin1'), contextOf(header)).toString('base64');

/** @throws AppError data_invalid if its key is not configured any more, or it is another header's */
export const openHeader = (box: Pick<SecretBox, 'openBytes'>, header: HeaderOf, sealed: string): string =>
  box.openBytes(Buffer.from(sealed, 'base64'), contextOf(header)).toString('latin1');

/** None where the text is no such object. */
export function parseSealedHeaders(text: string | undefined): SealedHeaders {
  if (text === undefined) return {};
  try {
    const sealed: unknown = JSON.parse(text);
    return isSealedHeaders(sealed) ? sealed : {};
  } catch {
    return {};
  }
}

function isSealedHeaders(value: unknown): value is SealedHeaders {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'));
}
