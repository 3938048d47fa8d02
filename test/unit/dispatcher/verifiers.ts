import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import { Webhook as StandardWebhook, WebhookVerificationError as StandardRefusal } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook, WebhookVerificationError as SvixRefusal } from 'svix';
import type { HttpRequest } from '#lib/http-client';

/** A receiver's keys of an endpoint: written down here, and not by our own code, which is what is judged. */
export interface ReceiverKeys {
  secret: string;
  privateKey: string;
  publicKey: string;
}

export function generateReceiverKeys(): ReceiverKeys {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [seed, point] = [d, x].map((text) => Buffer.from(text, 'base64url')) as [Buffer, Buffer];
  return {
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    privateKey: `whsk_${Buffer.concat([seed, point]).toString('base64')}`,
    publicKey: `whpk_${point.toString('base64')}`,
  };
}

type Accepts = (request: HttpRequest, held: ReceiverKeys) => boolean;

const { webhooks } = new Stripe('sk_test_unused');

/**
 * The libraries that receivers use, as they use them, and beside them bare node:crypto over the exact bytes. Stripe's reads a body by
 * TextDecoder, the other two by Buffer.toString: what that changes they can't verify.
 */
const verifiers = {
  stripe: ({ headers, body }, { secret }) =>
    accepts(() => webhooks.constructEvent(body, headers['hookline-signature'] ?? '', secret)),
  standardwebhooks: ({ headers, body }, { secret }) =>
    accepts(() => new StandardWebhook(secret).verify(body, { ...headers })),
  svix: ({ headers, body }, { secret }) => accepts(() => new SvixWebhook(secret).verify(body, { ...headers })),

  'Hookline-Signature by node:crypto'({ headers, body }, { secret }) {
    const parts = (headers['hookline-signature'] ?? '').split(',').map((part) => part.split('=') as [string, string]);
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
    return parts.some(([name, value]) => name === 'v1' && isSame(value, expected));
  },
  'v1 by node:crypto'({ headers, body }, { secret }) {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(signedBefore(headers)).update(body).digest('base64');
    return signaturesOf(headers, 'v1').some((given) => isSame(given, expected));
  },
  'v1a by node:crypto'({ headers, body }, { publicKey }) {
    const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const message = Buffer.concat([Buffer.from(signedBefore(headers)), body]);
    return signaturesOf(headers, 'v1a').some((given) => verify(null, message, key, Buffer.from(given, 'base64')));
  },
} as const satisfies Record<string, Accepts>;

export type VerifierName = keyof typeof verifiers;

/** The verifiers that accept the request, by name. */
export const acceptedBy = (request: HttpRequest, held: ReceiverKeys): VerifierName[] =>
  (Object.keys(verifiers) as VerifierName[]).filter((name) => verifiers[name](request, held));

type Headers = HttpRequest['headers'];

const signedBefore = (headers: Headers): string => `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;

const signaturesOf = (headers: Headers, version: string): string[] =>
  (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((part) => part.startsWith(`${version},`))
    .map((part) => part.slice(version.length + 1));

const isSame = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));

const refusals = [Stripe.errors.StripeSignatureVerificationError, StandardRefusal, SvixRefusal];

/** All three parse the body after verifying its signature: invalid JSON is not a signature error. */
function accepts(verification: () => unknown): boolean {
  try {
    verification();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    if (refusals.some((refusal) => error instanceof refusal)) return false;
    throw error;
  }
}
