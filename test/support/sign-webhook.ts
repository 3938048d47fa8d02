/** Signatures as the senders make them, from their documentation, and with nothing of libs/signatures: the two must agree by themselves. */
import { createHmac } from 'node:crypto';

const hmacHex = (secret: string, ...parts: (string | Buffer)[]): string => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};

/** `t=<unix>,v1=<hex>` over `<t>.<body>`, keyed with the whole secret. */
export function signAsHookline(secret: string, body: Buffer, unixSeconds: number): Record<string, string> {
  return { 'hookline-signature': `t=${unixSeconds},v1=${hmacHex(secret, `${unixSeconds}.`, body)}` };
}

export function signAsGithub(secret: string, body: Buffer): Record<string, string> {
  return { 'x-hub-signature-256': `sha256=${hmacHex(secret, body)}` };
}

/** Standard Webhooks, v1: keyed with what stands behind `whsec_` in base64. */
export function signAsStandardWebhooks(
  secret: string,
  body: Buffer,
  id: string,
  unixSeconds: number,
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${unixSeconds}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(unixSeconds), 'webhook-signature': `v1,${signature}` };
}

export function signAsShopify(secret: string, body: Buffer): Record<string, string> {
  return { 'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64') };
}
