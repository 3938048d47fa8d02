import type { SourceScheme, SourceSettings } from '#lib/contract';
import { type HeaderValues, schemeSettings, type SignatureRejection, signatureSchemes } from '#lib/signatures';

export const nowSeconds = 1_700_000_000;

interface Given {
  secrets?: readonly string[];
  /** The body, in the pieces in which it arrives. */
  chunks: readonly Uint8Array[];
  nowSeconds?: number;
  settings?: SourceSettings;
  query?: string;
}

/** A whole verification, as the ingress runs it. */
export function verifyRequest(
  name: SourceScheme,
  given: Given & { headers: HeaderValues },
): 'valid' | SignatureRejection {
  const begun = signatureSchemes[name].begin({
    headers: given.headers,
    secrets: given.secrets ?? ['whsec_test'],
    nowSeconds: given.nowSeconds ?? nowSeconds,
    query: given.query ?? '',
    settings: schemeSettings(name, given.settings ?? {}),
  });
  if ('rejection' in begun) return begun.rejection;
  for (const chunk of given.chunks) begun.check.update(chunk);
  return begun.check.finish();
}

/** The same of a scheme that has one header. */
export const verify = (
  name: SourceScheme,
  { header, ...given }: Given & { header: string | readonly string[] | undefined },
): 'valid' | SignatureRejection =>
  verifyRequest(name, { ...given, headers: { [signatureSchemes[name].signatureHeader]: header } });
