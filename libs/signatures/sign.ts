import type { KeyObject } from 'node:crypto';
import { signEd25519 } from './ed25519.ts';
import { signHmac } from './hmac-check.ts';
import { standardWebhooksKey } from './secret.ts';
import { formOf, messageOf } from './standard-webhooks-form.ts';

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
  return hooklineSignature([secret], timestampSeconds, body);
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

/**
 * The signature headers of one outgoing request, in both forms, one signature for each secret and each key: during a rotation a receiver
 * may hold the old one or the new one. Those by secrets come first, for receivers that look at the first alone.
 */
export function signatureHeaders(
  request: NamedMessage & { secrets: readonly string[]; ed25519Keys?: readonly KeyObject[] },
) {
  const { secrets, ed25519Keys = [], ...message } = request;
  return {
    'hookline-signature': hooklineSignature(secrets, message.timestampSeconds, message.body),
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': [
      ...secrets.map((secret) => signStandardWebhooks({ ...message, secret })),
      ...ed25519Keys.map((key) => signWithEd25519({ ...message, key })),
    ].join(' '),
  };
}

function hooklineSignature(secrets: readonly string[], timestampSeconds: number, body: Uint8Array | string): string {
  const form = { algorithm: 'sha256', encoding: 'hex', before: `${timestampSeconds}.` } as const;
  const signatures = secrets.map((secret) => `,v1=${signHmac(form, secret, body)}`);
  return `t=${timestampSeconds}${signatures.join('')}`;
}
