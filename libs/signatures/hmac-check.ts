import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Begun } from './scheme.ts';
import { isUsableSecret } from './sign.ts';

interface Expected {
  secrets: readonly string[];
  /** What is signed before the body. */
  before?: string;
  /** The signatures that the sender gave, as text. */
  given: readonly string[];
}

// Lower case alone: the specification's form, and GitHub's.
const sha256Hex = /^[0-9a-f]{64}$/;

/**
 * HMAC-SHA256 in hex, hashed as the body arrives. What can't be a signature is refused at once; at the end every secret is compared
 * with every signature, each in constant time, so that the time taken does not tell which of them fitted.
 */
export function beginHexHmac({ secrets, before = '', given }: Expected): Begun {
  const candidates = given.filter((text) => sha256Hex.test(text)).map((text) => Buffer.from(text, 'hex'));
  // An empty secret is no secret: its signatures can be made by anyone.
  const macs = secrets.filter(isUsableSecret).map((secret) => createHmac('sha256', secret).update(before));
  if (candidates.length === 0 || macs.length === 0) return { rejection: 'signature_invalid' };
  return {
    check: {
      update(chunk) {
        for (const mac of macs) mac.update(chunk);
      },
      finish() {
        let matches = 0;
        for (const mac of macs) {
          const expected = mac.digest();
          for (const candidate of candidates) matches += Number(timingSafeEqual(expected, candidate));
        }
        return matches > 0 ? 'valid' : 'signature_invalid';
      },
    },
  };
}
