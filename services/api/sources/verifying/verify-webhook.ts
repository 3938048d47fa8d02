/**
 * Verifies a webhook as the ingress does, and finds out what is wrong with it.
 *
 *   sender's address → length → signature header → timestamp → signature
 *
 * It tells no signature, and nothing of a secret: whoever asks already has a signed webhook, or has none that is valid. That an earlier
 * secret or another form of the body fits says only how the sender has signed.
 */
import type { BodyOf, sampleWebhook, Verification } from '#lib/api-contract';
import { maxPayloadBytes, maxPayloadText, sourceDefaults } from '#lib/contract';
import { networksOf } from '#lib/net';
import { type ProblemCode, problemCodes } from '#lib/problem';
import { type SignatureRejection, signatureSchemes } from '#lib/signatures';
import type { FieldErrors, Read } from '../../http/send-problem.ts';
import { advice } from './advice.ts';
import { type GivenWebhook, verdictOf, type VerifiedSource } from './verdict.ts';

type VerificationStep = NonNullable<Verification['step']>;

const stepOf: Readonly<Record<SignatureRejection, VerificationStep>> = {
  signature_missing: 'signature_header',
  signature_malformed: 'signature_header',
  timestamp_out_of_tolerance: 'timestamp',
  signature_invalid: 'signature',
};

export function verifyWebhook(source: VerifiedSource, webhook: GivenWebhook, nowMs: number): Verification {
  const { allowed_ips: allowedIps, client_certificate: certificate, response_status } = source.settings;
  const { address, body } = webhook;
  const asked = {
    challenge: false,
    not_checked: [
      ...(allowedIps !== undefined && address === undefined ? (['address'] as const) : []),
      ...(certificate?.required === true ? (['client_certificate'] as const) : []),
    ],
  };
  const refused = (step: VerificationStep, code: ProblemCode, detail: string): Verification => ({
    verified: false,
    step,
    status: problemCodes[code].status,
    code,
    detail,
    ...asked,
  });

  if (address !== undefined && allowedIps !== undefined && !networksOf(allowedIps).has(address))
    return refused('address', 'address_not_allowed', 'Add the address to `allowed_ips`, or send from one of these');
  if (body.length > maxPayloadBytes)
    return refused('length', 'payload_too_large', `Send a body of at most ${maxPayloadText}`);
  const verdict = verdictOf(source, webhook, { nowMs });
  if (verdict !== 'valid') return refused(stepOf[verdict], verdict, advice(verdict, { source, webhook, nowMs }));

  const challenge = signatureSchemes[source.scheme].challengeOf?.(body) !== undefined;
  return {
    verified: true,
    step: null,
    code: null,
    ...asked,
    challenge,
    status: challenge ? 200 : (response_status ?? sourceDefaults.response_status),
    detail: challenge
      ? 'The ingress answers this connection test; it makes no event'
      : 'The ingress accepts this webhook, as far as it was checked',
  };
}

type GivenBody = Pick<BodyOf<typeof sampleWebhook>, 'body' | 'body_encoding'>;

/** The body of a webhook in a request, as text or as base64. */
export function readBody({ body = '', body_encoding: encoding = 'text' }: GivenBody): Read<Buffer> {
  if (encoding === 'text') return { read: Buffer.from(body) };
  const bytes = Buffer.from(body, 'base64');
  const errors: FieldErrors = [{ field: '/body', message: 'must be base64 with padding' }];
  return bytes.toString('base64') === body ? { read: bytes } : { errors };
}
