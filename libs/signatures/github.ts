import { beginHexHmac } from './hmac-check.ts';
import type { SignatureScheme } from './scheme.ts';

const prefix = 'sha256=';

/**
 * GitHub's: `X-Hub-Signature-256: sha256=<hex>`, HMAC-SHA256 over the body alone, without a time. Of a header that is there, whatever is
 * not of this form is a wrong signature; `signature_malformed` is for schemes of several parts.
 */
export const github: SignatureScheme = {
  signatureHeader: 'x-hub-signature-256',
  identifyBy: ['header:X-GitHub-Delivery'],
  typeBy: ['header:X-GitHub-Event'],
  begin({ headers, secrets, settings }) {
    const given = headers[settings.signatureHeader];
    if (given === undefined || given === '') return { rejection: 'signature_missing' };
    if (typeof given !== 'string' || !given.startsWith(prefix)) return { rejection: 'signature_invalid' };
    return beginHexHmac({ secrets, given: [given.slice(prefix.length)] });
  },
};
