import { createSecretKey, type KeyObject } from 'node:crypto';
import { signEd25519 } from './ed25519.ts';
import { type HmacForm, signHmac } from './hmac-check.ts';
import { standardWebhooksKey } from './secret.ts';

interface Message {
  timestampSeconds: number;
  /** The exact bytes that go over the wire. */
  body: Uint8Array | string;
}

interface NamedMessage extends Message {
  /** The event's id, the same on every attempt. */
  id: string;
}

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>`, keyed with the UTF-8 bytes of the whole secret, `whsec_` included. */
export function signHookline({ secret, timestampSeconds, body }: Message & { secret: string }): string {
  return `t=${timestampSeconds},v1=${signHmac(hooklineForm(String(timestampSeconds)), secret, body)}`;
}

/** `v1,<base64>`: the symmetric signature of Standard Webhooks 1.0, HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function signStandardWebhooks({
  secret,
  id,
  timestampSeconds,
  body,
}: NamedMessage & { secret: string }): string {
  return `v1,${signHmac(formOf(id, String(timestampSeconds)), standardWebhooksKey(secret), body)}`;
}

/** `v1a,<base64>`: the asymmetric one, Ed25519 over the same. */
export function signWithEd25519({ key, id, timestampSeconds, body }: NamedMessage & { key: KeyObject }): string {
  return `v1a,${signEd25519(key, messageOf(formOf(id, String(timestampSeconds)), body)).toString('base64')}`;
}

/** A secret with its derived keys, computed once for all requests that are signed with it. */
export interface SigningSecret {
  readonly text: string;
  /** The key of Standard Webhooks. */
  readonly key: KeyObject;
}

export const signingSecret = (text: string): SigningSecret => ({
  text,
  key: createSecretKey(standardWebhooksKey(text)),
});

/**
 * The signature headers of one outgoing request, in both forms, one signature for each secret and each key: during a rotation a receiver
 * may hold the old one or the new one. Signatures by secrets come first, for receivers that look at the first alone.
 */
export function signatureHeaders(
  request: NamedMessage & { secrets: readonly SigningSecret[]; ed25519Keys?: readonly KeyObject[] },
) {
  const { secrets, ed25519Keys = [], id, timestampSeconds, body } = request;
  const timestamp = String(timestampSeconds);
  const form = formOf(id, timestamp);
  let hooklineSignature = `t=${timestamp}`;
  let standardSignature = '';
  for (const { text, key } of secrets) {
    hooklineSignature += `,v1=${signHmac(hooklineForm(timestamp), text, body)}`;
    standardSignature += `${standardSignature === '' ? '' : ' '}v1,${signHmac(form, key, body)}`;
  }
  for (const key of ed25519Keys)
    standardSignature += `${standardSignature === '' ? '' : ' '}${signWithEd25519({ key, id, timestampSeconds, body })}`;
  return {
    'hookline-signature': hooklineSignature,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature,
  };
}

const hooklineForm = (timestamp: string): HmacForm => ({
  algorithm: 'sha256',
  encoding: 'hex',
  before: `${timestamp}.`,
});

/** The signed text of Standard Webhooks: `<id>.<timestamp>.<body>`, by HMAC-SHA256 (`v1`) and by Ed25519 (`v1a`). */
export const formOf = (id: string, timestamp: string): HmacForm => ({
  algorithm: 'sha256',
  encoding: 'base64',
  before: `${id}.${timestamp}.`,
});

/** The same in one piece: Ed25519 hashes its message twice, and needs the whole body. */
export const messageOf = ({ before = '' }: HmacForm, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(before), typeof body === 'string' ? Buffer.from(body) : body]);
