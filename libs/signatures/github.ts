import { createBodyHeader } from './body-header.ts';
import type { SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';

/** GitHub's: `X-Hub-Signature-256: sha256=<hex>`. */
export const github: SignatureScheme = {
  ...createBodyHeader({ header: 'X-Hub-Signature-256', prefix: 'sha256=', encoding: 'hex' }),
  identifyBy: ['header:X-GitHub-Delivery'],
  // One delivery id for an event, whichever webhooks and apps get it: each gets a payload of its own.
  countedWith: 'header:X-GitHub-Hook-ID',
  typeBy: ['header:X-GitHub-Event'],
  generateSecret,
};
