import type { StoredSecret } from '#lib/contract';
import { parseRfc3339 } from '#lib/runtime';
import { type HeaderValues, schemeSettings, type SignatureRejection, signatureSchemes } from '#lib/signatures';
import type { SourceRow } from '../queries.ts';

export interface GivenWebhook {
  headers: HeaderValues;
  body: Buffer;
  /** The query of the URL, with its `?`; empty if there is none. */
  query: string;
  /** The sender's address; undefined: any. */
  address: string | undefined;
}

export interface VerifiedSource extends Pick<SourceRow, 'scheme' | 'settings'> {
  /** Expired secrets are among them. */
  secrets: readonly StoredSecret[];
}

/** The ingress's verdict at this time. @param secrets default: those that are valid by then */
export function verdictOf(
  { scheme: name, settings, secrets: stored }: VerifiedSource,
  { headers, body, query }: Omit<GivenWebhook, 'address'>,
  { nowMs, secrets = secretsAt(stored, nowMs) }: { nowMs: number; secrets?: readonly string[] },
): 'valid' | SignatureRejection {
  const begun = signatureSchemes[name].begin({
    headers,
    secrets,
    query,
    nowSeconds: Math.floor(nowMs / 1_000),
    settings: schemeSettings(name, settings),
  });
  if ('rejection' in begun) return begun.rejection;
  begun.check.update(body);
  return begun.check.finish();
}

const secretsAt = (stored: readonly StoredSecret[], nowMs: number): string[] =>
  stored.filter((one) => nowMs * 1_000 < endOf(one)).map(({ secret }) => secret);

const endOf = ({ expires_at: expiresAt }: StoredSecret): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : (parseRfc3339(expiresAt) ?? Number.NEGATIVE_INFINITY);
