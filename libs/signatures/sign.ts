import { signHmac } from './hmac-check.ts';
import { standardWebhooksKey } from './secret.ts';

interface Signing {
  secret: string;
  timestampSeconds: number;
  /** The exact bytes that go over the wire. */
  body: Uint8Array | string;
}

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>`, keyed with the UTF-8 bytes of the whole secret, `whsec_` included. */
export function signHookline({ secret, timestampSeconds, body }: Signing): string {
  return hooklineSignature([secret], timestampSeconds, body);
}

/** `v1,<base64>`: the symmetric signature of Standard Webhooks 1.0, HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function signStandardWebhooks({ secret, id, timestampSeconds, body }: Signing & { id: string }): string {
  const form = { algorithm: 'sha256', encoding: 'base64', before: `${id}.${timestampSeconds}.` } as const;
  return `v1,${signHmac(form, standardWebhooksKey(secret), body)}`;
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
  const form = { algorithm: 'sha256', encoding: 'hex', before: `${timestampSeconds}.` } as const;
  const signatures = secrets.map((secret) => `,v1=${signHmac(form, secret, body)}`);
  return `t=${timestampSeconds}${signatures.join('')}`;
}
