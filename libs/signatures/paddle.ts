import type { SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';
import { createTimedHeader } from './timed-header.ts';

/**
 * Paddle Billing's: `Paddle-Signature: ts=<unix seconds>;h1=<hex>`, HMAC-SHA256 over `<ts>:<body>`; several `h1` while a secret is
 * rotated. Their own libraries allow 5 seconds; here the source's tolerance holds, since a retry that waited in a queue is no forgery.
 */
export const paddle: SignatureScheme = {
  ...createTimedHeader({ header: 'Paddle-Signature', separator: ';', time: 'ts', signature: 'h1', joint: ':' }),
  identifyBy: ['/event_id'],
  typeBy: ['/event_type'],
  generateSecret,
};
