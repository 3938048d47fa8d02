import { createBodyHeader } from './body-header.ts';
import type { SignatureScheme } from './scheme.ts';
import { generateSecret } from './secret.ts';

/**
 * Shopify's: `X-Shopify-Hmac-Sha256: <base64>`. `X-Shopify-Webhook-Id` stays the same on every retry of one webhook;
 * `X-Shopify-Event-Id` is that of the merchant's action, which several webhooks of several topics may share.
 */
export const shopify: SignatureScheme = {
  ...createBodyHeader({ header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' }),
  identifyBy: ['header:X-Shopify-Webhook-Id'],
  typeBy: ['header:X-Shopify-Topic'],
  generateSecret,
};
