import { isPrivateKey, isPublicKey, readPublicKey } from '../../../libs/signatures/ed25519.ts';
import { hookline } from '../../../libs/signatures/hookline.ts';
import type { SignatureScheme } from '../../../libs/signatures/scheme.ts';
import { isUsableSecret } from '../../../libs/signatures/secret.ts';
import { standardWebhooks } from '../../../libs/signatures/standard-webhooks.ts';
import { type HeaderValues, readHeaders, type RequestHeaders } from './headers.ts';
import { createWebhook, type Webhook } from './webhook.ts';

/**
 * - `standard-webhooks`: `webhook-id`, `webhook-timestamp` and `webhook-signature` (or the same with `svix-`), `v1` by a shared secret and
 *   `v1a` by a key pair. The id is signed.
 * - `hookline`: `Hookline-Signature: t=…,v1=…`. The id is not signed.
 *
 * Hookline sends both with every request.
 */
export type Scheme = 'standard-webhooks' | 'hookline';

/** Why a request is refused. */
export type RejectionCode =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_invalid'
  | 'timestamp_out_of_tolerance';

export interface VerifyOptions {
  /** `whsec_…` or any shared secret; public keys, `whpk_…`, with `standard-webhooks`. Several during a rotation: any of them may have signed. */
  secrets: readonly string[];
  /** Default: `standard-webhooks`. */
  scheme?: Scheme | undefined;
  /** How old, or early, a signature may be. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since the Unix epoch. Default: `Date.now`. */
  now?: (() => number) | undefined;
}

export interface ReceivedRequest {
  headers: RequestHeaders;
  /** The bytes as they came: never parsed and written again, which changes them. */
  body: Uint8Array | string;
}

export type Verification = { valid: true; webhook: Webhook } | { valid: false; code: RejectionCode };

const defaultToleranceSeconds = 300;
const schemes: Readonly<Record<Scheme, SignatureScheme>> = { 'standard-webhooks': standardWebhooks, hookline };

/** @throws TypeError for options that could verify nothing; never for what a sender sent */
export function verifyWebhook(request: ReceivedRequest, options: VerifyOptions): Verification {
  checkOptions(options);
  const { secrets, scheme: name = 'standard-webhooks', now = Date.now } = options;
  const scheme = schemes[name];
  const settings = {
    signatureHeader: scheme.signatureHeader,
    toleranceSeconds: options.toleranceSeconds ?? defaultToleranceSeconds,
  };
  const headers = readHeaders(request.headers);
  const body = bytesOf(request.body);
  const begun = scheme.begin({ headers, secrets, nowSeconds: Math.floor(now() / 1_000), query: '', settings });
  if ('rejection' in begun) return { valid: false, code: begun.rejection };
  begun.check.update(body);
  const result = begun.check.finish();
  if (result !== 'valid') return { valid: false, code: result };
  return { valid: true, webhook: createWebhook({ ...signedValues(name, headers), headers, body }) };
}

/** @throws TypeError that says what is wrong */
export function checkOptions({ secrets, scheme = 'standard-webhooks', toleranceSeconds = 0 }: VerifyOptions): void {
  if (!Object.hasOwn(schemes, scheme)) throw new TypeError(`unknown scheme: ${String(scheme)}`);
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be 0 or more');
  if (!Array.isArray(secrets) || secrets.length === 0) throw new TypeError('secrets must be a list of one or more');
  for (const secret of secrets as readonly unknown[]) {
    const problem = typeof secret === 'string' ? problemOf(secret, scheme) : 'is not text';
    if (problem !== undefined) throw new TypeError(`a secret ${problem}`);
  }
}

function problemOf(secret: string, scheme: Scheme): string | undefined {
  if (!isUsableSecret(secret)) return 'is empty';
  if (isPrivateKey(secret)) return 'is a private key (whsk_): a receiver has the public one (whpk_)';
  if (!isPublicKey(secret)) return undefined;
  if (scheme !== 'standard-webhooks') return 'is a public key (whpk_), which only standard-webhooks verifies with';
  return readPublicKey(secret) === undefined ? 'must be whpk_ and the base64 of an Ed25519 public key' : undefined;
}

/** Reads the id and the time from the headers whose signature was verified. */
function signedValues(scheme: Scheme, headers: HeaderValues): Pick<Webhook, 'id' | 'timestampSeconds'> {
  const text = (name: string): string => String(headers[name] ?? '');
  if (scheme === 'hookline') {
    const timestamp = /(?:^|,)t=([0-9]+)/.exec(text('hookline-signature'))?.[1];
    return { id: text('webhook-id'), timestampSeconds: Number(timestamp) };
  }
  const prefix = headers['webhook-signature'] === undefined ? 'svix-' : 'webhook-';
  return { id: text(`${prefix}id`), timestampSeconds: Number(text(`${prefix}timestamp`)) };
}

const bytesOf = (body: Uint8Array | string): Buffer =>
  typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
