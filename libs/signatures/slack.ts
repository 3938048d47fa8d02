import { plainHeader, readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import { refuseTimestamp, type SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';

const signatureHeader = 'X-Slack-Signature';
const timestampHeader = 'X-Slack-Request-Timestamp';
const prefix = 'v0=';
const maxChallengeBytes = 4_096;

const formAt = (timestamp: string | number): HmacForm => ({
  algorithm: 'sha256',
  encoding: 'hex',
  before: `v0:${timestamp}:`,
});

/** Slack's: `X-Slack-Signature: v0=<hex>`, HMAC-SHA256 over `v0:<timestamp>:<body>`, whether the body is JSON or a form. */
export const slack: SignatureScheme = {
  signatureHeader: signatureHeader.toLowerCase(),
  signedHeaders: () => [timestampHeader.toLowerCase()],
  identifyBy: ['/event_id'],
  typeBy: ['/event/type', '/type'],
  generateSecret,
  begin(request) {
    const { headers, secrets, settings } = request;
    const read = readSignature(headers, settings.signatureHeader, prefix);
    if ('rejection' in read && read.rejection !== 'signature_invalid') return read;
    const timestamp = plainHeader(headers, timestampHeader.toLowerCase());
    const rejection = refuseTimestamp(timestamp, request);
    if (timestamp === undefined || rejection !== undefined) return { rejection: rejection ?? 'signature_malformed' };
    return 'rejection' in read ? read : beginHmac(formAt(timestamp), textKeys(secrets), [read.signature]);
  },
  sign: ({ secret, timestampSeconds, body, settings }) => ({
    [timestampHeader]: String(timestampSeconds),
    [spelled(signatureHeader, settings)]: prefix + signHmac(formAt(timestampSeconds), secret, body),
  }),
  /** `{"type":"url_verification","challenge":"…"}`: Slack checks once that the URL is ours. */
  challengeOf(body) {
    if (body.length > maxChallengeBytes || !body.includes('url_verification')) return undefined;
    try {
      const asked = JSON.parse(body.toString('utf8')) as { type?: unknown; challenge?: unknown } | null;
      return asked?.type === 'url_verification' && typeof asked.challenge === 'string' ? asked.challenge : undefined;
    } catch {
      return undefined;
    }
  },
};
