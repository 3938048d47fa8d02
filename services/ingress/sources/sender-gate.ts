import type { SourceSettings } from '#lib/contract';
import { isNetwork, networksOf } from '#lib/net';

/** The sender, as far as the connection shows. */
export interface Sender {
  /** The client's address; behind trusted proxies, as they report it. */
  address: string;
  /** SHA-256 in lower-case hex of the certificate that it has shown and our authorities have signed. Costs some microseconds. */
  certificate(): string | undefined;
}

type SenderRefusal = 'address_not_allowed' | 'client_certificate_required';

/** The reason to refuse a sender; undefined for allowed ones. */
export type SenderGate = (sender: Sender) => SenderRefusal | undefined;

export function createSenderGate(settings: Pick<SourceSettings, 'allowed_ips' | 'client_certificate'>): SenderGate {
  const allowed = settings.allowed_ips === undefined ? undefined : networksOf(settings.allowed_ips);
  const certificates = settings.client_certificate;
  const fingerprints = certificates?.fingerprints && new Set(certificates.fingerprints.map(plainFingerprint));

  return ({ address, certificate }) => {
    if (allowed !== undefined && !allowed.has(address)) return 'address_not_allowed';
    if (certificates === undefined || !certificates.required) return undefined;
    const shown = certificate();
    if (shown === undefined || fingerprints?.has(shown) === false) return 'client_certificate_required';
    return undefined;
  };
}

// A partly read list would admit or refuse the wrong senders.
export const isAllowedIps = (value: unknown): boolean =>
  isList(value) && value.every((entry) => typeof entry === 'string' && isNetwork(entry));

export function isClientCertificateSettings(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { required, fingerprints } = value as Record<string, unknown>;
  if (typeof required !== 'boolean') return false;
  return fingerprints === undefined || (isList(fingerprints) && fingerprints.every(isFingerprint));
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

const isFingerprint = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(plainFingerprint(value));

/** OpenSSL prints them in upper case, with colons. */
const plainFingerprint = (text: string): string => text.replaceAll(':', '').toLowerCase();
