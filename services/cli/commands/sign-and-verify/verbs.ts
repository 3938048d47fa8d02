import { sourceDefaults } from '#lib/contract';
import { schemeOptions, secretOption } from '../../options/scheme-options.ts';
import { list, text, verb } from '../../verb.ts';

export const sign = verb({
  summary: 'Print the headers with which a provider would sign a body',
  description:
    'Prints the headers with which the provider of a scheme would send the body, one a line: pass each to `curl -H`.',
  options: {
    ...secretOption('the secret, once; for standard-webhooks also whsk_…, an Ed25519 private key'),
    id: text('ID', 'the id of the webhook, if the scheme signs one (default: a new one)'),
    ...schemeOptions,
  },
  run: async (values, _given, context) => (await import('./sign.ts')).sign(values, context),
});

export const verify = verb({
  summary: 'Verify the signature of a webhook',
  description:
    'Verifies a webhook as the ingress does. Prints `valid` and exits 0, or `invalid: <code>` and exits 1. The codes are signature_missing, signature_malformed, signature_invalid and timestamp_out_of_tolerance. Wrong usage exits 2.',
  options: {
    ...secretOption('a secret that may have signed it; for standard-webhooks also whpk_…, an Ed25519 public key'),
    header: list("'Name: value'", 'a header of the request'),
    tolerance: text(
      'SECONDS',
      `how far a signed time may be from now, in both directions (default: ${sourceDefaults.timestamp_tolerance_seconds})`,
    ),
    ...schemeOptions,
  },
  run: async (values, _given, context) => (await import('./verify.ts')).verify(values, context),
});
