import { createHmac, randomBytes } from 'node:crypto';
import type { RandomBytes } from '#lib/ids';

const prefix = 'whsec_';

interface Signing {
  secret: string;
  timestampSeconds: number;
  /** The exact bytes that go over the wire. */
  body: Uint8Array | string;
}

/** A secret for both kinds of signature: `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(random: RandomBytes = randomBytes): string {
  return prefix + random(32).toString('base64');
}

/** False for a secret that a stranger could guess: empty, blank, or nothing behind `whsec_`. */
export function isUsableSecret(secret: string): boolean {
  return secret.replace(prefix, '').trim() !== '';
}

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>`, keyed with the UTF-8 bytes of the whole secret, `whsec_` included. */
export function signHookline({ secret, timestampSeconds, body }: Signing): string {
  return hooklineSignature([secret], timestampSeconds, body);
}

/** `v1,<base64>`: the symmetric signature of Standard Webhooks 1.0, HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function signStandardWebhooks({ secret, id, timestampSeconds, body }: Signing & { id: string }): string {
  const mac = createHmac('sha256', standardWebhooksKey(secret)).update(`${id}.${timestampSeconds}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/**
 * The signature headers of one outgoing request, in both forms, one signature for each secret: during a rotation a receiver may hold
 * the old one or the new one.
 *
 * @param id the event's id, the same on every attempt
 */
export function signatureHeaders(request: Omit<Signing, 'secret'> & { secrets: readonly string[]; id: string }) {
  const { secrets, id, timestampSeconds, body } = request;
  return {
    'hookline-signature': hooklineSignature(secrets, timestampSeconds, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => signStandardWebhooks({ secret, id, timestampSeconds, body }))
      .join(' '),
  };
}

function hooklineSignature(secrets: readonly string[], timestampSeconds: number, body: Uint8Array | string): string {
  const signatures = secrets.map(
    (secret) => `,v1=${createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex')}`,
  );
  return `t=${timestampSeconds}${signatures.join('')}`;
}

/**
 * What the Standard Webhooks libraries make of a secret: the base64 behind the prefix, if there is one. A secret of the user's own
 * that is no base64 is taken as its bytes (their `raw` format): decoding it leniently could leave a key of no bytes at all.
 */
function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const isBase64 = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  return Buffer.from(isBase64 ? encoded : secret, isBase64 ? 'base64' : 'utf8');
}
