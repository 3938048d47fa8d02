import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { createManualClock } from '#lib/clock';
import type { HttpRequest } from '#lib/http-client';
import { createAttempt } from '../../../services/dispatcher/attempt.ts';
import { aDelivery, anEndpoint, startMicros } from './fixtures.ts';

const oldSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const newSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const toleranceSeconds = 60;

async function sendOnce(
  delivery: Parameters<typeof aDelivery>[0] = {},
  endpoint: Parameters<typeof anEndpoint>[0] = {},
  startMs = Math.floor(Date.now() / 1_000) * 1_000,
) {
  const requests: HttpRequest[] = [];
  const attempt = createAttempt({
    clock: createManualClock(startMs),
    http: {
      send: async (request) => {
        requests.push(request);
        return { outcome: 'delivered', status: 200, retryAfter: undefined, excerpt: Buffer.alloc(0) };
      },
    },
  });
  const { result } = await attempt(aDelivery(delivery), anEndpoint(endpoint), 3);
  return { result, request: requests[0] };
}

const stripeAccepts = (request: HttpRequest, secret: string): boolean => {
  const { signature } = new Stripe('sk_test_unused').webhooks;
  try {
    return (
      signature?.verifyHeader(request.body, request.headers['hookline-signature'] ?? '', secret, toleranceSeconds) ??
      false
    );
  } catch {
    return false;
  }
};

const standardWebhooksAccepts = (request: HttpRequest, secret: string): boolean => {
  try {
    new Webhook(secret).verify(request.body, { ...request.headers });
    return true;
  } catch {
    return false;
  }
};

describe('one attempt', () => {
  it('sends the payload’s bytes with the headers that receivers rely on', async () => {
    const { request } = await sendOnce({}, {}, startMicros / 1_000);
    expect(request).toMatchObject({
      url: 'https://receiver.test/hook',
      method: 'POST',
      body: Buffer.from('{"order":1}'),
      timeoutMs: 5_000,
      headers: {
        'content-type': 'application/json',
        'hookline-event-type': 'order.created',
        'hookline-attempt': '3',
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(startMicros / 1e6),
      },
    });
    expect(request?.headers['hookline-signature']).toMatch(new RegExp(`^t=${startMicros / 1e6},v1=[0-9a-f]{64}$`));
    expect(request?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  it('continues the trace with a span of its own', async () => {
    const first = (await sendOnce()).request?.headers.traceparent;
    const second = (await sendOnce()).request?.headers.traceparent;
    for (const traceparent of [first, second])
      expect(traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/);
    expect(first).not.toBe(second);
  });

  it('is accepted by the verifiers of Stripe and of Standard Webhooks', async () => {
    const { request } = await sendOnce();
    expect([stripeAccepts(request!, oldSecret), standardWebhooksAccepts(request!, oldSecret)]).toEqual([true, true]);
    expect([stripeAccepts(request!, newSecret), standardWebhooksAccepts(request!, newSecret)]).toEqual([false, false]);
  });

  it('is accepted with the old secret and the new one while they rotate, and then with the new one alone', async () => {
    const startMs = Math.floor(Date.now() / 1_000) * 1_000;
    const secrets = [
      { secret: newSecret, expiresAt: null },
      { secret: oldSecret, expiresAt: startMs * 1_000 + 1 },
    ];
    const during = (await sendOnce({}, { secrets }, startMs)).request!;
    for (const secret of [oldSecret, newSecret])
      expect([stripeAccepts(during, secret), standardWebhooksAccepts(during, secret)]).toEqual([true, true]);
    const after = (await sendOnce({}, { secrets }, startMs + 1)).request!;
    expect([stripeAccepts(after, oldSecret), standardWebhooksAccepts(after, oldSecret)]).toEqual([false, false]);
    expect([stripeAccepts(after, newSecret), standardWebhooksAccepts(after, newSecret)]).toEqual([true, true]);
  });

  it('sends nothing unsigned', async () => {
    expect(await sendOnce({}, { secrets: [] })).toMatchObject({ result: { outcome: 'blocked' }, request: undefined });
    const expired = [{ secret: oldSecret, expiresAt: 1 }];
    expect(await sendOnce({}, { secrets: expired })).toMatchObject({
      result: { outcome: 'blocked' },
      request: undefined,
    });
  });

  it('makes a header of whatever type a sender chose', async () => {
    const { request } = await sendOnce({
      eventType: 'zahlung.größer\r\nx-evil: 1\0',
      contentType: 'text/plain; x="ü"',
    });
    expect(request?.headers['hookline-event-type']).toBe('zahlung.gr%C3%B6%C3%9Fer%0D%0Ax-evil: 1%00');
    expect(request?.headers['content-type']).toBe('text/plain; x="%C3%BC"');
    expect((await sendOnce({ contentType: '' })).request?.headers).not.toHaveProperty('content-type');
  });
});
