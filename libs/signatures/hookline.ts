import type { SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';
import { createTimedHeader } from './timed-header.ts';

const form = { separator: ',', time: 't', signature: 'v1', joint: '.' } as const;

/** The specification's scheme: `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>`, keyed with the whole secret. */
export const hookline: SignatureScheme = {
  ...createTimedHeader({ ...form, header: 'Hookline-Signature' }),
  identifyBy: ['/id', '/event_id', '/message_id'],
  typeBy: ['/type'],
  generateSecret,
};

/** Stripe's, which is the same in a header of its own. */
export const stripe: SignatureScheme = {
  ...createTimedHeader({ ...form, header: 'Stripe-Signature' }),
  identifyBy: ['/id'],
  typeBy: ['/type'],
  generateSecret,
};
