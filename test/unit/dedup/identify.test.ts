import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { IdentifierPlace, Locator, ReceivedWebhook } from '#lib/contract';
import { compoundKeysOf } from '#lib/dedup-store';
import { identify, identifyingContent } from '../../../services/dedup/identify.ts';
import { webhookOf } from './webhook.ts';

const identifyBody = (body: string | Buffer, identifyBy?: Locator[]) =>
  identify(webhookOf({ body: Buffer.from(body), ...(identifyBy === undefined ? {} : { identifyBy }) }));
const keyOf = (body: string | Buffer, identifyBy?: Locator[]): string =>
  identifyBody(body, identifyBy).dedupKey.toString('hex');

describe('identification', () => {
  it('knows two bodies with one identifier as the same webhook, and tells that the body changed', () => {
    const [one, two] = ['{"id":"evt_1"}', '{"id":"evt_1","retry":1}'].map((body) => identifyBody(body));
    expect(one?.dedupKey).toEqual(two?.dedupKey);
    expect(one?.bodyHash).not.toEqual(two?.bodyHash);
    expect(one?.eventId).toBe('evt_1');
  });

  it('takes the first locator that leads to something, in their order', () => {
    const locators: Locator[] = [
      { value: '' },
      { pointer: '/id' },
      { pointer: '/event_id' },
      { value: 'from a header' },
    ];
    expect(identifyBody('{"event_id":"b","id":"a"}', locators).eventId).toBe('a');
    expect(identifyBody('{"event_id":"b","id":null}', locators).eventId).toBe('b');
    expect(identifyBody('no json', locators).eventId).toBe('from a header');
  });

  describe('what an identifier counts together with', () => {
    const keyWith = (body: string, given: Partial<ReceivedWebhook>): string =>
      identify(webhookOf({ body: Buffer.from(body), ...given })).dedupKey.toString('hex');

    it('is the body where it is only guessed: two states of one order are two webhooks, a repetition is none', () => {
      const [pending, paid] = ['{"id":4711,"status":"pending"}', '{"id":4711,"status":"paid"}'] as const;
      const guessed = { countedWith: 'body' } as const;
      expect(keyWith(pending, guessed)).not.toBe(keyWith(paid, guessed));
      expect(keyWith(paid, guessed)).toBe(keyWith(paid, guessed));
      expect(identify(webhookOf({ body: Buffer.from(paid), ...guessed })).eventId).toBe('4711');
      expect(keyWith('{"x":1}', guessed)).toBe(keyOf('{"x":1}'));
    });

    it('is another header where that has a value: two apps that get one GUID get two webhooks', () => {
      const of = (hook: string) => keyWith('{}', { identifyBy: [{ value: 'guid' }], countedWith: { value: hook } });
      expect(of('10')).not.toBe(of('20'));
      expect(of('10')).toBe(of('10'));
    });

    it('is the receipt where each receipt is an event, also without an identifier', () => {
      const of = (receiptId: string, body: string) => keyWith(body, { receiptId, countedWith: 'receipt' });
      for (const body of ['{"id":1}', '{}']) {
        expect(of('rcp_1', body)).not.toBe(of('rcp_2', body));
        // Kafka may hold one request twice.
        expect(of('rcp_1', body)).toBe(of('rcp_1', body));
      }
    });
  });

  describe('a list of places', () => {
    const list: IdentifierPlace[] = [{ all: [{ pointer: '/id' }, { pointer: '/at' }] }, { pointer: '/id' }];
    const keyIn = (body: string): string =>
      identify(webhookOf({ body: Buffer.from(body), identifyBy: list })).dedupKey.toString('hex');

    it('joins its values, and each of them counts, with its kind', () => {
      const bodies = [
        '{"id":1,"at":2}',
        '{"id":1,"at":3}',
        '{"id":"1","at":2}',
        '{"id":"1:2","at":3}',
        '{"id":1,"at":"2:3"}',
      ];
      expect(new Set(bodies.map(keyIn)).size).toBe(bodies.length);
      expect(keyIn('{"id":1,"at":2,"x":0}')).toBe(keyIn('{"id":1,"at":2}'));
      expect(identify(webhookOf({ body: Buffer.from(bodies[0] ?? ''), identifyBy: list })).eventId).toBe('1:2');
    });

    it('leads to nothing unless all are there: then the next place counts', () => {
      expect(keyIn('{"id":1}')).toBe(keyOf('{"id":1}', [{ pointer: '/id' }]));
      expect(keyIn('{"at":1}')).toBe(keyOf('{"at":1}', []));
    });
  });

  it('gives all keys of one identifier the same beginning, by which an index finds them', () => {
    const bodies = ['{"id":"a","x":1}', '{"id":"a","x":2}'].map((body) => Buffer.from(body));
    const { first, last } = compoundKeysOf('default', 'src_1', 'a');
    for (const body of bodies) {
      const { dedupKey } = identify(webhookOf({ body, countedWith: 'body' }));
      expect([Buffer.compare(first, dedupKey), Buffer.compare(dedupKey, last)]).toEqual([-1, -1]);
    }
  });

  it('finds an identifier wherever it stands: it is the same one from a header and from the body', () => {
    expect(keyOf('{}', [{ value: 'evt_1' }])).toBe(keyOf('{"id":"evt_1"}'));
  });

  it('knows a webhook without an identifier by its body', () => {
    const identity = identifyBody('{"x":1}');
    expect(identity.eventId).toBeNull();
    expect(keyOf('{"x":1}')).toBe(keyOf('{"x":1}'));
    expect(keyOf('{"x":1}')).not.toBe(keyOf('{"x": 1}'));
    expect(keyOf(Buffer.from([0xff, 0x00]))).not.toBe(keyOf(Buffer.from([0xfe, 0x00])));
  });

  it('does not take an identifier that spells a body’s hash for that body', () => {
    const body = '{"x":1}';
    const sha256 = createHash('sha256').update(body);
    expect(keyOf(`{"id":"${sha256.copy().digest('hex')}"}`)).not.toBe(keyOf(body));
    expect(keyOf(`{"id":"sha256:${sha256.digest('hex')}"}`)).not.toBe(keyOf(body));
  });

  // If the two of a pair were one identifier, a webhook would be lost.
  it.each([
    ['a text and a number of the same characters', '{"id":"1"}', '{"id":1}'],
    ['two lone surrogates', '{"id":"\\ud800"}', '{"id":"\\ud801"}'],
    ['a lone surrogate and the replacement character', '{"id":"\\udfff"}', '{"id":"\\ufffd"}'],
    ['numbers beyond 2^53', '{"id":9007199254740992}', '{"id":9007199254740993}'],
    ['numbers that underflow', '{"id":0}', '{"id":1e-400}'],
    ['numbers that overflow', '{"id":1e400}', '{"id":2e400}'],
    ['a whole number and one that is rounded to it', '{"id":1}', '{"id":1.0000000000000000001}'],
    ['texts with and without a NUL', '{"id":"a\\u0000"}', '{"id":"a"}'],
    ['texts with other white space', '{"id":"a"}', '{"id":"a "}'],
    ['one empty and one blank text', '{"id":"","x":1}', '{"id":" ","x":1}'],
    ['composed and decomposed letters', '{"id":"\u00e9"}', '{"id":"e\u0301"}'],
  ])('tells apart %s', (_what, one, two) => {
    expect(keyOf(one)).not.toBe(keyOf(two));
  });

  it('tells apart bodies whose bytes are not UTF-8', () => {
    const body = (byte: number) => Buffer.concat([Buffer.from('{"id":"'), Buffer.from([byte]), Buffer.from('"}')]);
    expect(keyOf(body(0xff))).not.toBe(keyOf(body(0xfe)));
    expect(identifyBody(body(0xff)).eventId).toBeNull();
  });

  it('knows the same identifier with and without a byte order mark', () => {
    expect(keyOf('\ufeff{"id":"a"}')).toBe(keyOf('{"id":"a"}'));
  });

  it('tells tenants and sources apart', () => {
    const body = Buffer.from('{"id":"a"}');
    const keys = [{}, { tenant: 'other' }, { sourceId: 'src_2' }].map((change) =>
      identify(webhookOf({ body, ...change })).dedupKey.toString('hex'),
    );
    expect(new Set(keys).size).toBe(3);
  });

  it('never throws, and is the same for the same record, whatever the body and the locators are', () => {
    const bodies = fc.oneof(
      fc.json().map((json) => Buffer.from(json)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`{"id":${JSON.stringify(text)}}`)),
    );
    const pointers = fc.oneof(fc.constantFrom('', '/', '/id', '/__proto__/x', '/0', '/constructor', '~'), fc.string());
    const locators = fc.array(
      fc.oneof(fc.record({ value: fc.string({ unit: 'binary' }) }), fc.record({ pointer: pointers })),
    );
    fc.assert(
      fc.property(bodies, locators, locators, (body, identifyBy, typeBy) => {
        const identity = identify(webhookOf({ body, identifyBy, typeBy }));
        expect(identity.dedupKey).toHaveLength(16);
        expect(identify(webhookOf({ body: Buffer.from(body), identifyBy, typeBy }))).toEqual(identity);
        for (const shown of [identity.eventId ?? '', identity.type]) {
          expect(shown.isWellFormed()).toBe(true);
          expect(shown).not.toMatch(/\p{Cc}/u);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
        }
      }),
    );
  });
});

describe('what is shown', () => {
  it.each([
    ['a NUL', '"a\\u0000b"'],
    ['a line break', '"a\\nb"'],
    ['a control character of Latin 1', '"a\\u0085b"'],
    ['a lone surrogate', '"\\ud800"'],
    ['more than 255 bytes', `"${'é'.repeat(128)}"`],
    ['more than 255 digits', '9'.repeat(256)],
  ])('of an identifier with %s is its hash', (_what, value) => {
    expect(identifyBody(`{"id":${value}}`).eventId).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('of any other is itself', () => {
    const longest = 'é'.repeat(127);
    expect(identifyBody(`{"id":"${longest}"}`).eventId).toBe(longest);
    expect(identifyBody('{"id":12345678901234567890}').eventId).toBe('12345678901234567890');
  });

  it('of two identifiers that can’t be shown tells them apart', () => {
    expect(identifyBody('{"id":"\\ud800"}').eventId).not.toBe(identifyBody('{"id":"\\ud801"}').eventId);
  });

  it.each([
    ['the type that the sender gave', '{"type":"invoice.paid"}', 'invoice.paid'],
    ['a number', '{"type":7}', '7'],
    ['`webhook` where there is none', '{"type":{}}', 'webhook'],
    ['`webhook` where the body is not JSON', 'type=x', 'webhook'],
  ])('as type is %s', (_what, body, type) => {
    expect(identifyBody(body).type).toBe(type);
  });

  it('as type is a hash where it has control characters', () => {
    expect(identifyBody('{"type":"a\\u0000"}').type).toMatch(/^sha256:/);
  });
});

describe('a body that came encoded', () => {
  const gzipped = gzipSync('{"id":"evt_1","type":"order.paid"}');
  const identified = async (given: Partial<ReceivedWebhook>) => {
    const webhook = webhookOf({ body: gzipped, contentEncoding: 'gzip', ...given });
    return identify(webhook, await identifyingContent(webhook));
  };
  const byItself = { dedupKey: identifyBody(gzipped, []).dedupKey, eventId: null, type: 'webhook' };

  it('is identified by what is in it, as one that came plain; its hash is that of the bytes', async () => {
    const plain = identifyBody('{"id":"evt_1","type":"order.paid"}');
    expect(await identified({})).toEqual({ ...plain, bodyHash: identifyBody(gzipped).bodyHash });
  });

  it.each<[string, Partial<ReceivedWebhook>]>([
    ['is beyond the bounds', { body: gzipSync(`{"id":"evt_1"${' '.repeat(4_000_000)}}`) }],
    ['is encoded in a way that is not known', { contentEncoding: 'compress' }],
    ['is encoded several times', { contentEncoding: 'gzip, gzip' }],
    ['is not what it says', { contentEncoding: 'br' }],
    ['is cut off', { body: gzipped.subarray(0, -9) }],
  ])('that %s is known by its hash', async (_what, given) => {
    const body = given.body ?? gzipped;
    expect(await identified(given)).toMatchObject({ ...byItself, dedupKey: identifyBody(body, []).dedupKey });
  });

  it('that is plain in truth is identified by what is in it', async () => {
    expect(await identified({ body: Buffer.from('{"id":"evt_1"}') })).toMatchObject({ eventId: 'evt_1' });
  });

  it('is not decoded where nothing is looked for in it', async () => {
    const found = [{ value: '' }, { value: 'from a header' }, { pointer: '/id' }];
    const contentOf = (identifyBy: Locator[], typeBy: Locator[]) =>
      identifyingContent(webhookOf({ body: gzipped, contentEncoding: 'gzip', identifyBy, typeBy }));
    expect(await contentOf(found, [])).toBe(gzipped);
    expect(await contentOf(found, [{ value: '' }, { pointer: '/type' }])).not.toBe(gzipped);
    expect(await contentOf([], [])).toBe(gzipped);
  });
});

describe('a form', () => {
  const contentType = 'application/x-www-form-urlencoded';
  const identified = (body: string, given: Partial<ReceivedWebhook> = {}) =>
    identify(webhookOf({ body: Buffer.from(body), contentType, identifiesForm: true, ...given }));

  it('is an object of texts for identifier, type and tags', () => {
    const found = identified('id=a%20b&type=sms.sent&to=%2B49', { tagsBy: { to: { pointer: '/to' } } });
    expect(found).toMatchObject({ eventId: 'a b', type: 'sms.sent', tags: { to: '+49' } });
    expect(found.dedupKey).toEqual(identifyBody('{"id":"a b"}').dedupKey);
  });

  it('with JSON in its only field `payload` is that JSON', () => {
    expect(identified(`payload=${encodeURIComponent('{"id":7,"type":"issues"}')}`)).toMatchObject({
      eventId: '7',
      type: 'issues',
    });
  });

  it('is known by its body where its source is from before: its identifiers stay', () => {
    const [one, two] = ['id=1&n=1', 'id=1&n=2'].map((body) => identified(body, { identifiesForm: false }));
    expect(one?.dedupKey).not.toEqual(two?.dedupKey);
    expect([one?.eventId, one?.bodyHash]).toEqual([null, identifyBody('id=1&n=1').bodyHash]);
  });

  it('that is no text is known by its body', () => {
    expect(identified('id=%ff').eventId).toBeNull();
    expect(identified('id=%ff').dedupKey).not.toEqual(identified('id=%fe').dedupKey);
  });
});

describe('tags', () => {
  const tagsOf = (body: string, tagsBy: Record<string, Locator>) =>
    identify(webhookOf({ body: Buffer.from(body), tagsBy })).tags;

  it('are the texts and numbers that their places lead to', () => {
    const tagsBy = {
      repo: { value: 'a/b' },
      customer: { pointer: '/data/customer' },
      amount: { pointer: '/data/amount' },
      absent: { pointer: '/data/absent' },
      flag: { pointer: '/data/flag' },
    };
    expect(tagsOf('{"data":{"customer":"cus_1","amount":1.0,"flag":true}}', tagsBy)).toEqual({
      repo: 'a/b',
      customer: 'cus_1',
      amount: '1',
    });
  });

  it.each([
    ['longer than 128 bytes', `"${'é'.repeat(65)}"`],
    ['of several lines', '"a\\nb"'],
    ['with a NUL', '"a\\u0000"'],
    ['with half a character', '"\\ud800"'],
    ['empty', '""'],
  ])('has none of a text that is %s', (_what, text) => {
    expect(tagsOf(`{"a":${text}}`, { a: { pointer: '/a' } })).toEqual({});
    expect(tagsOf(`{"a":"${'é'.repeat(64)}"}`, { a: { pointer: '/a' } })).toEqual({ a: 'é'.repeat(64) });
  });

  it('are looked for in the decoded body, and no identity changes by that', async () => {
    const body = gzipSync('{"customer":"cus_1"}');
    const encoded = {
      body,
      contentEncoding: 'gzip',
      identifyBy: [{ value: 'id' }],
      typeBy: [{ value: 'type' }],
    };
    const webhook = webhookOf({ ...encoded, tagsBy: { customer: { pointer: '/customer' } } });
    const found = identify(webhook, await identifyingContent(webhook));
    expect(found).toEqual({ ...identify(webhookOf(encoded)), tags: { customer: 'cus_1' } });
    const byHeader = webhookOf({ ...encoded, tagsBy: { customer: { value: 'cus_1' } } });
    expect(await identifyingContent(byHeader)).toBe(body);
  });
});
