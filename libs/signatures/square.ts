import { readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import { publicUrlProblems, type SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';

const header = 'X-Square-HmacSha256-Signature';

const formFor = (publicUrl: string): HmacForm => ({ algorithm: 'sha256', encoding: 'base64', before: publicUrl });

/** Square's: `<base64>`, HMAC-SHA256 over the notification URL, exactly as it was entered at Square, and the body. */
export const square: SignatureScheme = {
  signatureHeader: header.toLowerCase(),
  identifyBy: ['/event_id'],
  typeBy: ['/type'],
  problemsOf: publicUrlProblems,
  generateSecret,
  begin({ headers, secrets, settings }) {
    const read = readSignature(headers, settings.signatureHeader);
    if ('rejection' in read) return read;
    if (settings.publicUrl === undefined) return { rejection: 'signature_invalid' };
    return beginHmac(formFor(settings.publicUrl), textKeys(secrets), [read.signature]);
  },
  sign: ({ secret, body, settings }) => ({
    [spelled(header, settings)]: signHmac(formFor(settings.publicUrl ?? ''), secret, body),
  }),
};
