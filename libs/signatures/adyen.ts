import { signedItemsOf } from './adyen-notification.ts';
import { checkCollected, type SignatureCheck, type SignatureRejection, type SignatureScheme } from './scheme.ts';
import { readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac } from './hmac-check.ts';

const header = 'HmacSignature';
const hexKey = /^(?:[0-9A-Fa-f]{2}){16,}$/;
const form: HmacForm = { algorithm: 'sha256', encoding: 'base64' };

/**
 * Adyen's two schemes: newer webhooks have `HmacSignature: <base64>` over the raw body. Standard notifications have no header, but each
 * item has a signature over eight of its fields, and every one must be valid. HMAC-SHA256, keyed with the bytes of a hex secret.
 *
 * A notification has no unique id (a payment's reference returns with each of its event codes, and Adyen says to use the newer of two that
 * differ), so the body identifies it: two events rather than one lost.
 */
export const adyen: SignatureScheme = {
  signatureHeader: header.toLowerCase(),
  identifyBy: [],
  typeBy: ['/notificationItems/0/NotificationRequestItem/eventCode', '/type'],
  problemsOf: ({ secret }) =>
    hexKey.test(secret) ? [] : [{ field: '/secret', message: 'must be the HMAC key in hex, of 16 bytes or more' }],
  generateSecret: (random) => random(32).toString('hex').toUpperCase(),

  begin({ headers, secrets, settings }) {
    const keys = secrets.filter((secret) => hexKey.test(secret)).map(readKey);
    const read = readSignature(headers, settings.signatureHeader);
    if ('signature' in read) return beginHmac(form, keys, [read.signature]);
    if (read.rejection !== 'signature_missing') return read;
    return { check: checkCollected((body) => verifyItems(body, keys)) };
  },

  sign: ({ secret, body, settings }) => ({ [spelled(header, settings)]: signHmac(form, readKey(secret), body) }),
};

const readKey = (secret: string): Buffer => Buffer.from(secret, 'hex');

function verifyItems(body: Buffer, keys: readonly Buffer[]): 'valid' | SignatureRejection {
  const read = signedItemsOf(body);
  if ('rejection' in read) return read.rejection;
  const verdicts = read.items.map(({ signed, signature }): ReturnType<SignatureCheck['finish']> => {
    const begun = beginHmac(form, keys, [signature]);
    if ('rejection' in begun) return begun.rejection;
    begun.check.update(Buffer.from(signed));
    return begun.check.finish();
  });
  return verdicts.every((verdict) => verdict === 'valid') ? 'valid' : 'signature_invalid';
}
