import { readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import type { SignatureScheme } from './scheme.ts';

interface BodyHeader {
  header: string;
  /** The text before the signature. */
  prefix?: string;
  encoding: HmacForm['encoding'];
}

/** A scheme of one header with one signature: HMAC-SHA256 over the body alone, without a time. */
export function createBodyHeader({ header, prefix = '', encoding }: BodyHeader) {
  const form: HmacForm = { algorithm: 'sha256', encoding };
  return {
    signatureHeader: header.toLowerCase(),
    begin({ headers, secrets, settings }) {
      const read = readSignature(headers, settings.signatureHeader, prefix);
      return 'rejection' in read ? read : beginHmac(form, textKeys(secrets), [read.signature]);
    },
    sign: ({ secret, body, settings }) => ({ [spelled(header, settings)]: prefix + signHmac(form, secret, body) }),
  } satisfies Pick<SignatureScheme, 'signatureHeader' | 'begin' | 'sign'>;
}
