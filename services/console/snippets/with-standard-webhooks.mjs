import { Webhook } from 'standardwebhooks';

/** The payload. @throws if the signature is not valid */
export function readWebhook(headers, body, secret) {
  return new Webhook(secret).verify(body, headers);
}
