import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import {
  generateSecret,
  isUsableSecret,
  signatureHeaders,
  signHookline,
  signingSecret,
  signStandardWebhooks,
} from '#lib/signatures';
import { standardWebhooksVector } from './vectors.ts';

// The official verifiers read the clock themselves.
const timestampSeconds = Math.floor(Date.now() / 1000);
const id = 'evt_01k2q7zvj8w5q6m3n4p9r0s1t2';
const body = JSON.stringify({ id, object: 'event', text: 'ünïcödé 😀' });
const stripe = new Stripe('sk_test_unused');

describe('what we sign', () => {
  const secret = generateSecret();
  const other = generateSecret();

  test('is accepted by the official stripe library, and refused once it is changed', () => {
    const header = signHookline({ secret, timestampSeconds, body });
    expect(stripe.webhooks.constructEvent(body, header, secret).id).toBe(id);
    expect(() => stripe.webhooks.constructEvent(`${body} `, header, secret)).toThrow(/signature/);
    expect(() => stripe.webhooks.constructEvent(body, header, other)).toThrow(/signature/);
  });

  test('is the published signature of Standard Webhooks', () => {
    expect(signStandardWebhooks(standardWebhooksVector)).toBe(standardWebhooksVector.signature);
    const bare = standardWebhooksVector.secret.replace('whsec_', '');
    expect(signStandardWebhooks({ ...standardWebhooksVector, secret: bare })).toBe(standardWebhooksVector.signature);
  });

  test.each([
    ['standardwebhooks', StandardWebhook],
    ['svix', SvixWebhook],
  ])('is accepted by the official %s library, and refused once it is changed', (_name, Webhook) => {
    const headers = signatureHeaders({ secrets: [signingSecret(secret)], id, timestampSeconds, body });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(other).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_other' })).toThrow();
  });

  test('carries a signature for each secret of a rotation, so that a receiver with either accepts it', () => {
    const headers = signatureHeaders({ secrets: [secret, other].map(signingSecret), id, timestampSeconds, body });
    expect(headers['hookline-signature'].match(/,v1=/g)).toHaveLength(2);
    for (const held of [secret, other]) {
      expect(stripe.webhooks.constructEvent(body, headers['hookline-signature'], held).id).toBe(id);
      expect(new StandardWebhook(held).verify(body, headers)).toEqual(JSON.parse(body));
    }
  });

  test('covers bytes that are no UTF-8', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    const expected = createHmac('sha256', secret).update(`${timestampSeconds}.`).update(bytes).digest('hex');
    expect(signHookline({ secret, timestampSeconds, body: bytes })).toBe(`t=${timestampSeconds},v1=${expected}`);
  });

  test('is keyed with the bytes of a secret that is no base64, as receivers configure it raw', () => {
    const own = 'my own secret!';
    const headers = signatureHeaders({ secrets: [signingSecret(own)], id, timestampSeconds, body });
    expect(new StandardWebhook(own, { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body));
  });
});

test('a generated secret is whsec_ and the base64 of 32 random bytes', () => {
  expect(generateSecret(() => Buffer.alloc(32, 0xa5))).toBe('whsec_paWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaU=');
  expect(generateSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(generateSecret()).not.toBe(generateSecret());
});

test.each([
  ['', false],
  ['  ', false],
  ['whsec_', false],
  ['whsec_ ', false],
  ['x', true],
  ['whsec_x', true],
])('the secret %j is usable: %s', (secret, usable) => {
  expect(isUsableSecret(secret)).toBe(usable);
});
