import { type ReceivedRequest, type SealedHeaders, trailMark } from '#lib/contract';
import { eventRequestOf } from '../../../services/dedup/event-request.ts';
import { webhookOf } from './webhook.ts';

const request: ReceivedRequest = {
  secret: ['x-shopify-hmac-sha256'],
  method: 'POST',
  path: '/v1/webhooks/src_1',
  address: '192.0.2.7',
  names: '',
};

const requestOf = (
  given: Partial<ReceivedRequest>,
  httpHeaders: Record<string, string> = {},
  sealedHeaders: SealedHeaders = {},
) => eventRequestOf(webhookOf({ body: Buffer.of(1), request: { ...request, ...given }, httpHeaders, sealedHeaders }));

describe('the request of an event', () => {
  it('has the headers in their order, as they were spelled, repeated ones each by itself', () => {
    const repeated = { 'x-a': ['1', '2, 3'] };
    const names = 'X-B,x-a,Host,X-A,X-B-';
    expect(requestOf({ names, repeated }, { 'x-a': '1, 2, 3', 'x-b': '', host: 'h', 'x-b-': 'ä"' })?.headers).toEqual([
      { name: 'X-B', value: '' },
      { name: 'x-a', value: '1' },
      { name: 'Host', value: 'h' },
      { name: 'X-A', value: '2, 3' },
      { name: 'X-B-', value: 'ä"' },
    ]);
  });

  it('has the trail that its webhook came with', () => {
    const trail = [trailMark('src_1')];
    const webhook = webhookOf({ body: Buffer.of(1), request, trail });
    expect(eventRequestOf(webhook)).toMatchObject({ trail });
    expect(requestOf({})).not.toHaveProperty('trail');
  });

  it('has names but no values of what may be a secret, and of what its source’s scheme reads its signature from', () => {
    const values = {
      'x-shopify-hmac-sha256': 's1',
      'x-hub-signature': 's2',
      'x-api-key': 's3',
      'x-gitlab-token': 's4',
      'x-topic': 'orders',
    };
    const names = 'X-Shopify-Hmac-SHA256,X-Hub-Signature,X-Api-Key,X-Gitlab-Token,X-Topic,Authorization,Cookie';
    const found = requestOf({ names }, values);
    expect(found?.headers.map(({ name }) => name).join(',')).toBe(names);
    expect(found?.headers.filter(({ value }) => value !== null)).toEqual([{ name: 'X-Topic', value: 'orders' }]);
    expect(JSON.stringify(found)).not.toMatch(/s[1-4]/);
  });

  it('carries sealed values beside the names, bounded, and none of what its source’s scheme reads its signature from', () => {
    const sealed = { 'x-api-key': ['c2VhbGVk', 'Mg=='], 'x-shopify-hmac-sha256': ['AA=='] };
    const found = requestOf({ names: 'X-Api-Key,X-Topic,x-api-key' }, { 'x-topic': 'orders' }, sealed);
    expect(found?.headers).toEqual([
      { name: 'X-Api-Key', value: null },
      { name: 'X-Topic', value: 'orders' },
      { name: 'x-api-key', value: null },
    ]);
    expect(found?.sealed).toEqual({ 'x-api-key': sealed['x-api-key'] });
    expect(requestOf({}, {}, { authorization: ['A'.repeat(25_000)] })).not.toHaveProperty('sealed');
  });

  it('is bounded, and says where something was cut', () => {
    const names = Array.from({ length: 20 }, (_, index) => `X-${index}`);
    const values = Object.fromEntries(names.map((name) => [name.toLowerCase(), 'v'.repeat(1_000)]));
    const found = requestOf({ names: names.join(',') }, values);
    expect(found?.truncated).toBe(true);
    expect(found?.headers).toHaveLength(8);
    expect(requestOf({ names: names.slice(0, 8).join(',') }, values)).toMatchObject({ truncated: false });

    const path = `/v1/webhooks/src_1?a=${'b'.repeat(5_000)}&token=c`;
    expect(requestOf({ path })).toMatchObject({ path: path.slice(0, 2_048), truncated: true });
  });

  it('has a plain address, and no more of a text that is none than an address may be long', () => {
    expect(requestOf({ address: '::ffff:192.0.2.7' })?.client_address).toBe('192.0.2.7');
    expect(requestOf({ address: 'x'.repeat(500) })?.client_address).toBe('x'.repeat(64));
  });

  it('is unknown where the record has none', () => {
    expect(eventRequestOf(webhookOf({ body: Buffer.of(1) }))).toBeNull();
  });

  it('takes no property of all objects for a header', () => {
    const names = 'constructor,__proto__,toString';
    expect(requestOf({ names })?.headers.map(({ value }) => value)).toEqual([null, null, null]);
    const values = JSON.parse('{"__proto__":"a"}') as Record<string, string>;
    expect(requestOf({ names: '__proto__' }, values)?.headers).toEqual([{ name: '__proto__', value: 'a' }]);
  });
});
