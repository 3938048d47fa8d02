import { type HeaderValues, type SignatureRejection, signatureSchemes } from '#lib/signatures';

export const nowSeconds = 1_700_000_000;

interface Given {
  header: string | readonly string[] | undefined;
  secrets?: readonly string[];
  /** The body, in the pieces in which it arrives. */
  chunks: readonly Uint8Array[];
  nowSeconds?: number;
}

/** A whole verification, as the ingress runs it. */
export function verify(name: 'hookline' | 'github', given: Given): 'valid' | SignatureRejection {
  const scheme = signatureSchemes[name];
  const headers: HeaderValues = { [scheme.signatureHeader]: given.header };
  const begun = scheme.begin({
    headers,
    secrets: given.secrets ?? ['whsec_test'],
    nowSeconds: given.nowSeconds ?? nowSeconds,
    query: '',
    settings: { signatureHeader: scheme.signatureHeader, toleranceSeconds: 300 },
  });
  if ('rejection' in begun) return begun.rejection;
  for (const chunk of given.chunks) begun.check.update(chunk);
  return begun.check.finish();
}
