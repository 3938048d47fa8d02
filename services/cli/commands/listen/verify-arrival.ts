import type { SourceScheme, SourceSettings } from '#lib/contract';
import {
  type HeaderValues,
  isPublicKey,
  schemeSettings,
  type SignatureRejection,
  type SignedRequest,
  signatureSchemes,
} from '#lib/signatures';

/** The outcome of verifying a request; the codes are the ingress's. */
export type Verdict = 'verified' | 'no secret given' | SignatureRejection;

export interface Trust {
  secrets: readonly string[];
  /** The scheme that signs the requests; without one, Hookline's own signatures are expected. */
  scheme?: { name: SourceScheme; settings: SourceSettings } | undefined;
}

interface Arrived {
  headers: HeaderValues;
  query: string;
  body: Buffer;
  nowSeconds: number;
}

export function verifyArrival({ secrets, scheme }: Trust, arrived: Arrived): Verdict {
  if (secrets.length === 0) return 'no secret given';
  const checks = scheme === undefined ? checksOfDelivery(secrets, arrived.headers) : [{ ...scheme, secrets }];
  const verdicts = checks.map((check) => verify(check, arrived));
  const rejection = verdicts.find((verdict) => verdict !== 'valid');
  return verdicts.length === 0 ? 'signature_missing' : (rejection ?? 'verified');
}

interface Check {
  name: SourceScheme;
  settings: SourceSettings;
  secrets: readonly string[];
}

/**
 * A delivery is signed in two ways, with each secret, and maybe with a key pair: every signature that is present must be valid, since a
 * receiver may check any of them. If a public key was given, its signature must be present.
 */
function checksOfDelivery(given: readonly string[], headers: HeaderValues): Check[] {
  const keys = given.filter(isPublicKey);
  const secrets = given.filter((secret) => !isPublicKey(secret));
  const isSigned = (name: SourceScheme): boolean => headers[signatureSchemes[name].signatureHeader] !== undefined;
  return [
    ...(['hookline', 'standard-webhooks'] as const).filter(isSigned).map((name) => ({ name, settings: {}, secrets })),
    { name: 'standard-webhooks' as const, settings: {}, secrets: keys },
  ].filter((check) => check.secrets.length > 0);
}

function verify({ name, settings, secrets }: Check, { headers, query, body, nowSeconds }: Arrived) {
  const request: SignedRequest = { headers, secrets, nowSeconds, query, settings: schemeSettings(name, settings) };
  const begun = signatureSchemes[name].begin(request);
  if ('rejection' in begun) return begun.rejection;
  begun.check.update(body);
  return begun.check.finish();
}
