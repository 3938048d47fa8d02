import { gzipSync } from 'node:zlib';
import { compilePassHeaders, isReservedHeader, trailMark } from '#lib/contract';
import type { HttpRequest } from '#lib/http-client';
import { createManualClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { createAttempt } from '../../../services/dispatcher/send/attempt.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { testTrails } from '../../support/trails.ts';
import { sendOnce } from './send-once.ts';
import { aDelivery, anAnswer, anEndpoint, startMicros } from './fixtures.ts';

const startMs = startMicros / 1_000;

describe('one attempt', () => {
  it('sends the payload’s bytes with the headers that receivers rely on', async () => {
    const { request } = await sendOnce({}, {}, startMs);
    expect(request).toMatchObject({
      url: 'https://receiver.test/hook',
      method: 'POST',
      body: Buffer.from('{"order":1}'),
      timeoutMs: 5_000,
      route: undefined,
      isStrict: false,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Hookline',
        'accept-encoding': 'identity',
        'hookline-event-type': 'order.created',
        'hookline-attempt': '3',
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(startMicros / 1e6),
      },
    });
    expect(request?.headers['hookline-signature']).toMatch(new RegExp(`^t=${startMicros / 1e6},v1=[0-9a-f]{64}$`));
    expect(request?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  it('bears the trail of its event, signed, and none where that has passed no source', async () => {
    const trail = [trailMark('src_1'), trailMark('src_2')];
    const { request, sending } = await sendOnce({ trail }, {}, startMs);
    expect(testTrails.read(request?.headers['hookline-trail'])).toEqual(trail);
    expect(sending.request?.headers).toMatchObject({ 'hookline-trail': request?.headers['hookline-trail'] });
    const published = await sendOnce({ trail: [] }, {}, startMs);
    expect(published.request?.headers).not.toHaveProperty('hookline-trail');
  });

  it('is strict to a URL that a portal session chose', async () => {
    const { request } = await sendOnce({}, { urlByPortal: true });
    expect(request?.isStrict).toBe(true);
  });

  it('goes by the endpoint’s method, on its route', async () => {
    const route = { proxy: 'http://proxy.test:3128' };
    const { request } = await sendOnce({}, { method: 'PUT', route });
    expect(request?.method).toBe('PUT');
    expect(request?.route).toBe(route);
  });

  it('bears the endpoint’s own headers, its user-agent too', async () => {
    const headers = { authorization: 'Bearer abc', 'x-tenant': '7', 'user-agent': 'Acme/1.0' };
    const { request } = await sendOnce({}, { headers });
    expect(request?.headers).toMatchObject(headers);
  });

  it('bears none that is Hookline’s own, even where a row has one', async () => {
    const plain = (await sendOnce({}, {}, startMs)).request!.headers;
    const ours = [
      ...Object.keys(plain).filter((name) => name !== 'user-agent'),
      'host',
      'content-length',
      'tracestate',
    ];
    expect(ours.filter((name) => !isReservedHeader(name))).toEqual([]);
    const theirs = [...ours, ...ours.map((name) => name.toUpperCase())].map((name) => [name, 'theirs'] as const);
    const { request } = await sendOnce({}, { headers: Object.fromEntries(theirs) }, startMs);
    const traceparent = expect.any(String) as string;
    expect(request?.headers).toEqual({ ...plain, traceparent });
    expect(Object.values(request!.headers)).not.toContain('theirs');
  });

  it('tells what it sent, secret values masked, its own signatures shown', async () => {
    // Not what a signature could have in it by chance.
    const headers = { authorization: 'Bearer very-secret', 'x-tenant': '7' };
    const { sending, request } = await sendOnce({}, { headers, method: 'PATCH' });
    expect(sending.request).toEqual({
      method: 'PATCH',
      url: 'https://receiver.test/hook',
      headers: { ...request?.headers, authorization: '***' },
    });
    expect(sending.request?.headers['webhook-signature']).toMatch(/^v1,/);
    expect(JSON.stringify(sending)).not.toMatch(/very-secret|whsec_/);
  });

  describe('with headers of the provider', () => {
    const passedHeaders = [
      ['X-GitHub-Event', 'push'],
      ['X-Trail', 'a'],
      ['x-trail', 'b'],
      ['X-Team', 'theirs'],
      ['Host', 'evil.test'],
    ] as const;
    const passHeaders = compilePassHeaders(['x-*', 'host']);

    it('sends those that the endpoint wants now, each value by itself, and shows them', async () => {
      const { request, sending } = await sendOnce({ passedHeaders }, { passHeaders, headers: { 'x-team': 'ours' } });
      expect(request?.headerLists).toEqual({ 'X-GitHub-Event': ['push'], 'X-Trail': ['a', 'b'] });
      expect(request?.headers['x-team']).toBe('ours');
      expect(sending.request?.headers).toEqual({
        ...request?.headers,
        'X-GitHub-Event': 'push',
        'X-Trail': 'a, b',
      });
      const fewer = await sendOnce({ passedHeaders }, { passHeaders: compilePassHeaders(['x-github-*']) });
      expect(fewer.request?.headerLists).toEqual({ 'X-GitHub-Event': ['push'] });
    });

    it('opens a credential for the request alone, and leaves out one that it can’t open', async () => {
      const credentials = [
        ['X-Api-Key', 'one', 'sealed'],
        ['x-api-key', 'two', 'sealed'],
        ['Authorization', 'unreadable', 'sealed'],
      ] as const;
      const named = compilePassHeaders(['x-api-key', 'Authorization']);
      const { request, sending } = await sendOnce({ passedHeaders: credentials }, { passHeaders: named });
      expect(request?.headerLists).toEqual({ 'X-Api-Key': ['opened x-api-key one', 'opened x-api-key two'] });
      expect(sending.request?.headers).toMatchObject({ 'X-Api-Key': '***' });
      expect(JSON.stringify(sending)).not.toMatch(/opened|"one"/);
      const unnamed = await sendOnce({ passedHeaders: credentials }, { passHeaders: compilePassHeaders(['x-*']) });
      expect(unnamed.request?.headerLists).toEqual({});
    });

    it('sends none where the endpoint asks for none any more', async () => {
      const { request, sending } = await sendOnce({ passedHeaders }, { passHeaders: undefined });
      expect(request?.headerLists).toBeUndefined();
      expect(sending.request?.headers).toBe(request?.headers);
    });
  });

  it('continues the trace with a span of its own', async () => {
    const first = (await sendOnce()).request?.headers.traceparent;
    const second = (await sendOnce()).request?.headers.traceparent;
    for (const traceparent of [first, second])
      expect(traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/);
    expect(first).not.toBe(second);
  });

  it('sends nothing unsigned', async () => {
    const expired = [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', privateKey: null, expiresAt: 1 }];
    for (const secrets of [[], expired]) {
      const { sending, request } = await sendOnce({}, { secrets });
      expect(request).toBeUndefined();
      expect(sending).toMatchObject({ result: { outcome: 'blocked' }, request: null });
    }
  });

  it('goes by the time and the endpoint of each send, though what an endpoint’s sends have in common is worked out once', async () => {
    const clock = createManualClock(startMs);
    const sent: HttpRequest[] = [];
    const attempt = createAttempt({
      openHeader: () => undefined,
      trails: { sign: () => undefined },
      tracer: noTracer,
      clock,
      http: { send: async (request) => (sent.push(request), anAnswer(200)) },
    });
    const [current] = anEndpoint().secrets;
    const before = { secret: 'whsec_b3RoZXIgc2VjcmV0IG9mIGVhcmxpZXI=', privateKey: null };
    const endpoint = anEndpoint({
      secrets: [current!, { ...before, expiresAt: startMicros + 60_000_000 }],
      headers: { authorization: 'Bearer one' },
    });
    await attempt(aDelivery(), endpoint, 1);
    await clock.advance(60_000);
    const again = await attempt(aDelivery(), endpoint, 2);
    await attempt(aDelivery(), { ...endpoint, headers: { authorization: 'Bearer two' } }, 3);
    expect(sent.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([2, 1, 1]);
    expect(sent.map(({ headers }) => headers['hookline-signature']?.split(',v1=').length)).toEqual([3, 2, 2]);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer one', 'Bearer two']);
    expect(again.request?.headers.authorization).toBe('***');
  });

  it('sends what came encoded as it came, and says by what; signed is what is sent', async () => {
    const payload = gzipSync('{"order":1}');
    const { request } = await sendOnce({ payload, contentEncoding: 'gzip' }, {}, startMs);
    const [secret] = anEndpoint().secrets;
    expect(request).toMatchObject({
      body: payload,
      headers: { 'content-encoding': 'gzip', ...signAsHookline(secret?.secret ?? '', payload, startMicros / 1e6) },
    });
    expect((await sendOnce({ contentEncoding: null })).request?.headers).not.toHaveProperty('content-encoding');
    expect((await sendOnce({ contentEncoding: 'x\r\nx-evil: 1' })).request?.headers['content-encoding']).toBe(
      'x%0D%0Ax-evil: 1',
    );
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
