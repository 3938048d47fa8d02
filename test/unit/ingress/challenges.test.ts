import { createHmac } from 'node:crypto';
import type { SourceSettings } from '#lib/contract';
import { networksOf } from '#lib/net';
import { closeApps, createHarness, type Harness, requestsTotal, secret, signed, sourceOf } from './harness.ts';

afterEach(closeApps);

const token = 'the token that the owner has chosen';
const right = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158201444' };

const harnessWith = (settings: SourceSettings): Harness => createHarness({ source: sourceOf({ settings }) });

const ask = (harness: Harness, query: Record<string, string> | [string, string][], method = 'GET', headers = {}) =>
  harness.send({ method, headers, path: `/v1/webhooks/${harness.source.id}?${new URLSearchParams(query).toString()}` });

describe('a GET that asks whether the address is its owner’s', () => {
  test('with the source’s verify token gets its challenge back, as text that no browser runs', async () => {
    const harness = harnessWith({ verify_token: token });
    const challenge = '<script>alert(1)</script> é &amp;';
    const answer = await ask(harness, { ...right, 'hub.challenge': challenge });
    expect([answer.status, answer.text]).toEqual([200, challenge]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(harness.producer.records).toEqual([]);
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'challenge' })).toBe(1);
    expect(harness.rejections).toEqual([]);
  });

  test('by HEAD has the same status and no body', async () => {
    const answer = await ask(harnessWith({ verify_token: token }), right, 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test.each<[string, Record<string, string> | [string, string][], string, number]>([
    ['another token', { ...right, 'hub.verify_token': `${token}x` }, 'verify_token_invalid', 403],
    ['an empty token', { ...right, 'hub.verify_token': '' }, 'verify_token_invalid', 403],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }, 'verify_token_invalid', 403],
    ['the token twice', [...Object.entries(right), ['hub.verify_token', token]], 'verify_token_invalid', 403],
    ['another mode', { ...right, 'hub.mode': 'unsubscribe' }, 'validation_failed', 400],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': token }, 'validation_failed', 400],
    ['nothing', {}, 'validation_failed', 400],
  ])('with %s is refused, and its owner can see it', async (_what, query, code, status) => {
    const harness = harnessWith({ verify_token: token });
    const answer = await ask(harness, query);
    expect([answer.status, answer.json().code]).toEqual([status, code]);
    expect(harness.rejections).toMatchObject([{ code, sourceId: harness.source.id }]);
  });

  test('to a source without a verify token is a 405, whatever it brings', async () => {
    const harness = harnessWith({});
    const answer = await ask(harness, right);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect(harness.rejections).toEqual([]);
  });

  test('from an address that may not send is refused', async () => {
    const harness = harnessWith({ verify_token: token, allowed_ips: ['192.0.2.1'] });
    expect((await ask(harness, right)).json()).toMatchObject({ code: 'address_not_allowed' });
    const trusting = createHarness({
      source: sourceOf({ settings: { verify_token: token, allowed_ips: ['192.0.2.1'] } }),
      deps: { trustedProxies: networksOf(['127.0.0.1']) },
    });
    expect((await ask(trusting, right, 'GET', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
  });

  test('to a source that is unknown, deleted or can’t be told is a 404, a 410, a 503', async () => {
    const deleted = createHarness({ source: sourceOf({ deleted_at: '2026-01-01T00:00:00.000000Z' }) });
    const away = createHarness({
      deps: { sources: { known: () => undefined, lookUp: async () => 'unavailable', recent: () => undefined } },
    });
    const unknown = await deleted.send({ method: 'GET', path: '/v1/webhooks/src_00000000000000000000000000' });
    expect([unknown.status, unknown.json().code]).toEqual([404, 'not_found']);
    expect((await ask(deleted, right)).status).toBe(410);
    expect((await ask(deleted, right, 'HEAD')).status).toBe(410);
    expect((await ask(away, right)).status).toBe(503);
  });

  test('is in Allow where there is one', async () => {
    const put = async (settings: SourceSettings) => (await ask(harnessWith(settings), {}, 'PUT')).headers.allow;
    expect(await put({ verify_token: token })).toBe('GET, HEAD, POST');
    expect(await put({})).toBe('POST');
  });
});

describe('Slack’s url_verification', () => {
  const post = (harness: Harness, body: string, key = secret) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = `v0=${createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    return harness.send({ headers, body });
  };
  const asking =
    '{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}';

  test('is answered with its challenge once its signature holds, and is no webhook', async () => {
    const harness = createHarness({ source: sourceOf({ scheme: 'slack' }) });
    const answer = await post(harness, asking);
    expect([answer.status, answer.text]).toEqual([200, '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P']);
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(harness.producer.records).toEqual([]);
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'challenge' })).toBe(1);
  });

  test('is not answered to a stranger', async () => {
    const harness = createHarness({ source: sourceOf({ scheme: 'slack' }) });
    const answer = await post(harness, asking, 'a wrong secret');
    expect([answer.status, answer.json().code]).toEqual([401, 'signature_invalid']);
  });

  test('is a webhook like any other where the scheme has no challenge', async () => {
    const harness = createHarness();
    expect((await harness.send({ headers: signed(asking), body: asking })).status).toBe(202);
    expect(harness.producer.records).toHaveLength(1);
  });
});

describe('a person who opens an address in a browser', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const program = { accept: '*/*' };

  test('is shown a page with the status that a program gets', async () => {
    const deleted = createHarness({ source: sourceOf({ deleted_at: '2026-01-01T00:00:00.000000Z' }) });
    const active = createHarness();
    for (const [harness, path, status, words] of [
      [active, '/', 404, 'Nothing exists at this address'],
      [active, '/v1/webhooks/src_00000000000000000000000000', 404, 'Nothing exists at this address'],
      [active, `/v1/webhooks/${active.source.id}`, 405, 'cannot be opened in a browser'],
      [deleted, `/v1/webhooks/${deleted.source.id}`, 410, 'deleted'],
    ] as const) {
      const page = await harness.send({ method: 'GET', path, headers: browser });
      expect([path, page.status, page.headers['content-type']]).toEqual([path, status, 'text/html; charset=utf-8']);
      expect(page.text).toContain(words);
      expect(page.headers.vary).toBe('accept');
      const problem = await harness.send({ method: 'GET', path, headers: program });
      expect([problem.status, problem.headers['content-type']]).toEqual([status, 'application/problem+json']);
      expect(problem.headers.vary).toBe('accept');
      const head = await harness.send({ method: 'HEAD', path, headers: browser });
      expect([head.status, head.text]).toEqual([status, '']);
    }
  });
});
