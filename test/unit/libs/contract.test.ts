import fc from 'fast-check';
import {
  type Delivery,
  type ReceivedWebhook,
  type WebhookIdentity,
  deadLetterHeaders,
  deliveryHeaders,
  header,
  isForAnother,
  packHeaders,
  parseDeadLetter,
  parseDelivery,
  parseDuplicate,
  parseReceivedWebhook,
  receivedWebhookHeaders,
  trailMark,
  unpackHeaders,
} from '#lib/contract';

const webhook: ReceivedWebhook = {
  tenant: 'default',
  sourceId: 'src_1',
  receiptId: 'rcp_1',
  receivedAt: 1_795_247_723_123_456,
  contentType: 'application/json',
  contentEncoding: 'gzip',
  httpHeaders: { 'x-github-event': 'push' },
  sealedHeaders: { 'x-api-key': ['AA==', 'AQ=='] },
  identifyBy: [{ value: 'abc' }, { pointer: '/id' }],
  countedWith: null,
  identifiesForm: false,
  typeBy: [],
  tagsBy: { customer: { pointer: '/customer' }, repo: { value: 'a/b' } },
  request: {
    secret: ['x-hub-signature-256'],
    method: 'POST',
    path: '/v1/webhooks/src_1?a=1',
    address: '192.0.2.1',
    names: 'X-GitHub-Event',
  },
  trail: [trailMark('src_2')],
  dedupTtlSeconds: 259_200,
  orderingKey: null,
  traceparent: '',
  origin: null,
  body: Buffer.from([0xff, 0x00]),
};

const delivery: Delivery = {
  id: 'dlv_1',
  tenant: 'default',
  eventId: 'evt_1',
  eventType: 'push',
  endpointId: 'ep_1',
  generation: 0,
  createdAt: 1_795_247_723_123_456,
  receivedAt: 1_795_247_723_000_000,
  orderingKey: 'k',
  contentType: '',
  contentEncoding: 'br',
  passedHeaders: [
    ['X-A', 'ä "1"'],
    ['X-A', ''],
    ['X-Api-Key', 'AA==', 'sealed'],
  ],
  trail: [trailMark('src_2'), trailMark('src_1')],
  traceparent: '',
  payload: Buffer.from('x'),
};

describe('records', () => {
  test('a received webhook comes back as it was written', () => {
    const { body, ...rest } = webhook;
    expect(parseReceivedWebhook(receivedWebhookHeaders(rest), body)).toEqual(webhook);
  });

  test.each<[Partial<WebhookIdentity>, string]>([
    [{ identifyBy: [{ pointer: '/id' }], identifiesForm: true }, '[{"pointer":"/id"}]'],
    [{ identifyBy: [{ pointer: '/id' }], countedWith: 'body' }, '[]'],
    [{ identifyBy: [{ value: 'a' }], countedWith: { value: '7' } }, '[{"value":"rcp_1"}]'],
    [{ identifyBy: [], countedWith: 'receipt' }, '[{"value":"rcp_1"}]'],
    [{ identifyBy: [{ all: [{ value: 'a' }, { pointer: '/b' }] }], countedWith: null }, '[{"value":"rcp_1"}]'],
  ])('the rule %j comes back, and a dedup from before it reads %s, which drops nothing', (identity, forOlder) => {
    const { body, ...rest } = { ...webhook, ...identity };
    const headers = receivedWebhookHeaders(rest);
    expect(parseReceivedWebhook(headers, body)).toEqual({ ...webhook, ...identity });
    expect(headers[header.identifyBy]).toBe(forOlder);
  });

  test('a received webhook from before the rule is identified by its places alone', () => {
    const { body, ...rest } = webhook;
    const headers = receivedWebhookHeaders(rest);
    expect(headers).not.toHaveProperty(header.dedupRule);
    expect(parseReceivedWebhook(headers, body)).toMatchObject({ identifyBy: webhook.identifyBy, countedWith: null });
  });

  test.each(['', '[]', '{}', '{"by":[{}]}', '{"by":[],"with":"x"}', '{"by":[{"all":[{}]}]}'])(
    'a received webhook with the rule %j is refused: a guess could drop it',
    (rule) => {
      const { body, ...rest } = webhook;
      const headers = { ...receivedWebhookHeaders(rest), [header.dedupRule]: rule };
      expect(parseReceivedWebhook(headers, body)).toEqual({ malformed: 'header hookline-dedup-rule is not a rule' });
    },
  );

  test('a received webhook from before its encoding had a header of its own is read by what its sender had', () => {
    const { body, ...rest } = { ...webhook, contentEncoding: null };
    const read = (httpHeaders: Record<string, string>) => {
      const parsed = parseReceivedWebhook(receivedWebhookHeaders({ ...rest, httpHeaders }), body);
      return 'malformed' in parsed ? parsed : parsed.contentEncoding;
    };
    expect([read({ 'content-encoding': 'gzip' }), read({ 'content-encoding': '' }), read({})]).toEqual([
      'gzip',
      null,
      null,
    ]);
  });

  test('a delivery without an encoding has no header for it', () => {
    const { payload, ...rest } = { ...delivery, contentEncoding: null };
    expect(deliveryHeaders(rest)).not.toHaveProperty(header.contentEncoding);
    expect(parseDelivery(deliveryHeaders(rest), payload)).toMatchObject({ contentEncoding: null });
  });

  test('a received webhook from before requests and tags were kept has neither', () => {
    const { body, ...rest } = webhook;
    const { [header.request]: request, [header.tagsBy]: tagsBy, ...headers } = receivedWebhookHeaders(rest);
    expect([request, tagsBy]).not.toContain(undefined);
    expect(parseReceivedWebhook(headers, body)).toMatchObject({ request: null, tagsBy: {} });
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"method":"POST"}',
    '{"secret":[1],"method":"","path":"","address":"","names":""}',
  ])('the request %j of a received webhook is none, and the webhook is read', (text) => {
    const { body, ...rest } = webhook;
    const headers = { ...receivedWebhookHeaders(rest), [header.request]: text };
    expect(parseReceivedWebhook(headers, body)).toEqual({ ...webhook, request: null });
  });

  test('records from before trails, or with a text that is none, have no trail', () => {
    const { body, ...received } = webhook;
    const { payload, ...sent } = delivery;
    const nine = Array.from({ length: 9 }, (_, at) => trailMark(`src_${at}`)).join('.');
    for (const text of [undefined, '', 'src_1', `${trailMark('src_1')}.`, nine]) {
      const more: Record<string, string> = text === undefined ? {} : { [header.trail]: text };
      const [ofWebhook, ofDelivery] = [
        receivedWebhookHeaders({ ...received, trail: [] }),
        deliveryHeaders({ ...sent, trail: [] }),
      ];
      expect([ofWebhook, ofDelivery].some((headers) => header.trail in headers)).toBe(false);
      expect(parseReceivedWebhook({ ...ofWebhook, ...more }, body)).toEqual({ ...webhook, trail: [] });
      expect(parseDelivery({ ...ofDelivery, ...more }, payload)).toEqual({ ...delivery, trail: [] });
    }
  });

  test.each(['{', '[]', 'null', '{"a:b":{"pointer":"/a"}}', '{"a":{}}', '{"a":null}'])(
    'a received webhook whose rules for tags are %j is malformed',
    (text) => {
      const { body, ...rest } = webhook;
      const headers = { ...receivedWebhookHeaders(rest), [header.tagsBy]: text };
      expect(parseReceivedWebhook(headers, body)).toHaveProperty('malformed');
    },
  );

  test('a delivery without headers of the provider has no header for them', () => {
    const { payload, ...rest } = { ...delivery, passedHeaders: [] };
    expect(deliveryHeaders(rest)).not.toHaveProperty(header.passedHeaders);
    expect(parseDelivery(deliveryHeaders(rest), payload)).toMatchObject({ passedHeaders: [] });
  });

  test.each(['', '{}', '[["a"]]', '[["a b","c"]]', '[["a","c\\n"]]', '[["a","\\u0100"]]', '[["a",1]]'])(
    'a delivery with %j for headers of the provider is malformed: no request could carry them',
    (text) => {
      const { payload, ...rest } = delivery;
      expect(parseDelivery({ ...deliveryHeaders(rest), [header.passedHeaders]: text }, payload)).toHaveProperty(
        'malformed',
      );
    },
  );

  test('a delivery comes back as it was written', () => {
    const { payload, ...rest } = delivery;
    expect(parseDelivery(deliveryHeaders(rest), payload)).toEqual(delivery);
  });

  test('a dead letter’s facts come back as they were written', () => {
    const facts = { stage: 'dedup', reason: 'data_invalid', attempts: 3, origin: 't-0-1', at: 1 } as const;
    expect(parseDeadLetter(deadLetterHeaders(facts))).toEqual({ ...facts, generation: 0, shortenedFrom: null });
    const replayed = { ...deadLetterHeaders(facts), [header.generation]: '2' };
    expect(parseDeadLetter(replayed)).toEqual({ ...facts, generation: 2, shortenedFrom: null });
  });

  test('the headers of what died are kept as they were, its dead letter’s own left out', () => {
    const deadLetter = deadLetterHeaders({
      stage: 'dedup',
      reason: 'data_invalid',
      attempts: 3,
      origin: 't-0-1',
      at: 1,
    });
    const own = { plain: Buffer.from('ä'), odd: [Buffer.from([0, 255]), Buffer.alloc(0)] };
    const raw = Object.fromEntries(Object.entries(deadLetter).map(([name, text]) => [name, Buffer.from(text)]));
    expect(unpackHeaders(packHeaders({ ...own, ...raw }))).toEqual({ plain: [own.plain], odd: own.odd });
  });

  test('a replayed record is for the stage that it names, any other for all', () => {
    expect(isForAnother({}, 'fan-out')).toBe(false);
    expect(isForAnother({ [header.replayFor]: 'fan-out' }, 'fan-out')).toBe(false);
    expect(isForAnother({ [header.replayFor]: 'fan-out' }, 'projector')).toBe(true);
  });

  test.each([header.tenant, header.sourceId, header.receiptId, header.receivedAt, header.dedupTtlSeconds])(
    'a received record without %s is malformed',
    (name) => {
      const { body, ...rest } = webhook;
      const headers = Object.fromEntries(Object.entries(receivedWebhookHeaders(rest)).filter(([key]) => key !== name));
      expect(parseReceivedWebhook(headers, body)).toHaveProperty('malformed');
    },
  );

  test('whatever stands in the headers and bytes, parsing answers and never throws', () => {
    const names = Object.values(header);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.string()), fc.uint8Array(), (headers, bytes) => {
        const value = Buffer.from(bytes);
        for (const parse of [parseReceivedWebhook, parseDelivery]) expect(parse(headers, value)).toBeDefined();
        expect(parseDeadLetter(headers)).toBeDefined();
        expect(parseDuplicate(value)).toBeDefined();
      }),
    );
  });
});
