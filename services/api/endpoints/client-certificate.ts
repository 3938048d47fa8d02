import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ChangedEndpoint, Endpoint } from '#lib/api-contract';
import type { EndpointCertificate } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import type { Read } from '../http/send-problem.ts';

type GivenCertificate = NonNullable<ChangedEndpoint['client_certificate']>;

/** The visible part; needs no private key. */
export function shownCertificate(certificate: string): NonNullable<Endpoint['client_certificate']> {
  const leaf = new X509Certificate(certificate);
  return {
    certificate,
    expires_at: formatMicros(leaf.validToDate.getTime() * 1_000),
    // SHA-256 of its DER form, as sources name theirs.
    fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/**
 * Serialized again, block by block: other text, such as a key, is left out.
 *
 * @param before the endpoint's certificate: kept if the same one is sent back without its key
 */
export function readClientCertificate(
  given: GivenCertificate,
  before: EndpointCertificate | undefined,
  nowMs: number,
): Read<EndpointCertificate> {
  const chain = readChain(given.certificate);
  if (typeof chain === 'string') return refuse('/certificate', chain);
  const [leaf] = chain;
  const certificate = chain.join('');
  const shown = shownCertificate(certificate);
  for (const name of ['expires_at', 'fingerprint'] as const)
    if (given[name] !== undefined && given[name] !== shown[name])
      return refuse(`/${name}`, 'differs from the certificate: omit it');
  if (given.private_key === undefined)
    return before?.certificate === certificate ? { read: before } : refuse('/private_key', 'is missing');
  const key = readKey(given.private_key);
  if (key === undefined) return refuse('/private_key', 'must be a private key in PEM, without a passphrase');
  if (!leaf.checkPrivateKey(key)) return refuse('/private_key', 'does not belong to the certificate');
  const expired = chain.find(({ validToDate }) => validToDate.getTime() <= nowMs);
  if (expired !== undefined) return refuse('/certificate', `has expired: ${expired.validTo}`);
  const read = { certificate, private_key: key.export({ format: 'pem', type: 'pkcs8' }).toString() };
  const unusable = tlsProblem(read);
  return unusable === undefined ? { read } : refuse('/certificate', `cannot be used for TLS: ${unusable}`);
}

const refuse = (field: string, message: string): Read<never> => ({
  errors: [{ field: `/client_certificate${field}`, message }],
});

/** The certificate itself first, or the reason why it is invalid. */
function readChain(text: string): [X509Certificate, ...X509Certificate[]] | string {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return 'must not contain the private key';
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const [leaf, ...others] = blocks.map((block) => new X509Certificate(block));
    if (leaf !== undefined) return [leaf, ...others];
  } catch {
    // Said below.
  }
  return 'must be a certificate in PEM, followed by its intermediate certificates';
}

/** The block alone: OpenSSL's own tools write parameters before a key. */
function readKey(text: string): KeyObject | undefined {
  const [block] = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]+?-----END \1-----/.exec(text) ?? [];
  if (block === undefined) return undefined;
  try {
    return createPrivateKey(block);
  } catch {
    return undefined;
  }
}

/** Finds problems that only a handshake would show: a key that is too short, or of a type that TLS can't use. */
function tlsProblem({ certificate, private_key }: EndpointCertificate): string | undefined {
  try {
    createSecureContext({ cert: certificate, key: private_key });
    return undefined;
  } catch (error) {
    return (error as { reason?: string }).reason ?? 'it is refused';
  }
}
