import { createHmac, createSecretKey, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { HmacSettings } from '#lib/contract';
import { decodeExactly, isUsableSecret } from './secret.ts';
import type { Begun } from './scheme.ts';

/** How a body is signed; shared by the check and the signer of a scheme. */
export interface HmacForm {
  algorithm: HmacSettings['algorithm'];
  encoding: HmacSettings['encoding'];
  /** Text that is signed before and after the body. */
  before?: string;
  after?: string;
}

type Key = string | Buffer | KeyObject;

/** The keys of a scheme that uses the secret's own bytes. An empty secret is excluded: anyone can sign with it. */
export const textKeys = (secrets: readonly string[]): readonly string[] => secrets.filter(isUsableSecret);

/**
 * An HMAC that is computed as the body arrives. A text that can't be a signature is refused at once; at the end every key is compared with
 * every signature in constant time, so the duration doesn't tell which one matched.
 *
 * @param given the signatures that the sender gave, as text
 */
export function beginHmac(form: HmacForm, keys: readonly Key[], given: readonly string[]): Begun {
  const { algorithm, encoding, after = '' } = form;
  const candidates = given.map((text) => decodeExactly(text, encoding)).filter((bytes) => bytes !== undefined);
  const fitting = candidates.filter(({ length }) => length === digestBytes[algorithm]);
  if (fitting.length === 0 || keys.length === 0) return { rejection: 'signature_invalid' };
  const macs = keys.map((key) => startHmac(form, key));
  return {
    check: {
      update(chunk) {
        for (const mac of macs) mac.update(chunk);
      },
      finish() {
        let matches = 0;
        for (const mac of macs) {
          const expected = mac.update(after).digest();
          for (const candidate of fitting) matches += Number(timingSafeEqual(expected, candidate));
        }
        return matches > 0 ? 'valid' : 'signature_invalid';
      },
    },
  };
}

export function signHmac(form: HmacForm, key: Key, body: Uint8Array | string): string {
  const mac = startHmac(form, key).update(body);
  if (form.after !== undefined) mac.update(form.after);
  return mac.digest(form.encoding);
}

/** A key object is made for bytes, since `createHmac` takes four times as long when it is given them as they are (Node 24). */
function startHmac({ algorithm, before = '' }: HmacForm, key: Key): Hmac {
  return createHmac(algorithm, Buffer.isBuffer(key) ? createSecretKey(key) : key).update(before);
}

const digestBytes = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const;
