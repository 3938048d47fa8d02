import Stripe from 'stripe';

// No request is made with this key: only webhooks are verified.
const { webhooks } = new Stripe('sk_test_unused');

/** The payload. @throws if the signature is not valid */
export function readWebhook(headers, body, secret) {
  return webhooks.constructEvent(body, headers['hookline-signature'], secret);
}
