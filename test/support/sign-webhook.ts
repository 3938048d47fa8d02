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
