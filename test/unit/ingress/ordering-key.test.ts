import { header, maxPayloadBytes } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { closeApps, createHarness, signed, sourceOf } from './harness.ts';

afterEach(closeApps);

/** The record of one webhook of a source with this ordering key. */
async function recordOf(
  orderingKey: string[] | undefined,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<OutgoingRecord | undefined> {
  const source = sourceOf({ settings: orderingKey === undefined ? {} : { ordering_key: orderingKey } });
  const harness = createHarness({ source });
  expect((await harness.send({ body, headers: { ...signed(body), ...headers } })).status).toBe(202);
  return harness.producer.records[0];
}

const keyOf = async (...given: Parameters<typeof recordOf>): Promise<OutgoingRecord['key'] | undefined> => {
  const record = await recordOf(...given);
  // A reader of the topic's headers and a reader of its keys must see the same.
  expect(record?.headers[header.orderingKey] ?? null).toBe(record?.key);
  return record?.key;
};

test('numbers of one value are one ordering key, and no others are', async () => {
  const keys = await Promise.all(
    ['1', '1.0', '1e0', '9007199254740993', '9007199254740992', '"1.0"'].map((n) => keyOf(['/n'], `{"n":${n}}`)),
  );
  expect(keys).toEqual(['1', '1', '1', '9007199254740993', '9007199254740992', '1.0']);
});

const paymentIntent = JSON.stringify({
  id: 'evt_1',
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_1' } },
});

describe('the ordering key', () => {
  test('is what the pointer leads to: all webhooks of a payment intent have one key', async () => {
    expect(await keyOf(['/data/object/id'], paymentIntent)).toBe('pi_1');
  });

  test('is the header’s value, by whatever case it is written in', async () => {
    expect(await keyOf(['header:X-Order'], 'no JSON', { 'x-order': 'o-7' })).toBe('o-7');
  });

  test('is the first that is there', async () => {
    const rules = ['header:X-Order', '/data/object/order', '/data/object/id'];
    expect(await keyOf(rules, paymentIntent)).toBe('pi_1');
    expect(await keyOf(rules, paymentIntent, { 'x-order': 'o-7' })).toBe('o-7');
  });

  test('is a number’s own characters, which a double would forget', async () => {
    expect(await keyOf(['/n'], '{"n":9007199254740993}')).toBe('9007199254740993');
  });

  test.each([
    ['there is no rule', undefined, paymentIntent],
    ['nothing is found', ['/none', 'header:X-None'], paymentIntent],
    ['it is neither text nor number', ['/data'], paymentIntent],
    ['it is empty', ['/id'], '{"id":""}'],
    ['the body is not JSON', ['/id'], '{"id":"1"'],
    ['the body is not UTF-8', ['/id'], Buffer.from([0x22, 0xff, 0x22])],
    ['the body is as large as may be, and nested as deep', ['/0/0'], '['.repeat(maxPayloadBytes)],
  ])('is none where %s, and the webhook is accepted all the same', async (_where, rules, body) => {
    expect(await keyOf(rules, body)).toBeNull();
  });

  test.each([
    ['too long', 'x'.repeat(256)],
    ['not printable', 'a\nb'],
  ])('that is %s is its hash', async (_what, id) => {
    expect(await keyOf(['/id'], JSON.stringify({ id }))).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
