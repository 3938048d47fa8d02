import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/**
 * Whether a webhook was sent by somebody who knows the secret, within the last minutes.
 *
 * @param {Record<string, string>} headers of the request, their names in lower case
 * @param {Buffer} body the bytes as they came, before any parser has seen them
 * @param {string} secret of the endpoint: whsec_…
 */
export function isGenuine(headers, body, secret) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;

  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // Several, separated by spaces, while the secret is being changed.
  return signatures.split(' ').some((signature) => isSame(signature, `v1,${expected}`));
}

function isSame(given, expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
