/** The rule by which a webhook is identified, as the ingress writes it into the record. */
import { createHmac } from 'node:crypto';
import { parseReceivedWebhook, type SourceSettings } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { closeApps, createHarness, secret, signed, sourceOf } from './harness.ts';

const body = '{"id":"evt_1","type":"order.created"}';
const formType = 'application/x-www-form-urlencoded';

afterEach(closeApps);

const webhookOf = ({ headers, value }: OutgoingRecord) => {
  const texts = Object.entries(headers).map(([name, text]) => [name, String(text)] as const);
  return parseReceivedWebhook(Object.fromEntries(texts), value ?? Buffer.alloc(0));
};

describe('the rule of an identifier travels in the record:', () => {
  const hub = { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
  const delivery = { ...hub, 'X-GitHub-Delivery': 'guid', 'X-GitHub-Hook-ID': '10' };
  const hmac = {
    algorithm: 'sha256',
    encoding: 'hex',
    header: 'X-Hub-Signature-256',
    prefix: 'sha256=',
    signed: 'body',
  };
  const own = { scheme: 'hmac', settings: { hmac } as SourceSettings };

  test.each<[string, Parameters<typeof sourceOf>[0], Record<string, string>, object]>([
    ['GitHub’s is delivery with hook', { scheme: 'github' }, delivery, { countedWith: { value: '10' } }],
    [
      'of an older source of GitHub, the delivery alone',
      { scheme: 'github', dedup_rule: 1 },
      delivery,
      { countedWith: null },
    ],
    ['a guess counts with the body', own, hub, { countedWith: 'body' }],
    ['the guess of an older source is exact', { ...own, dedup_rule: 1 }, hub, { countedWith: null }],
    [
      'a named place is exact',
      { ...own, settings: { ...own.settings, dedup_id: ['/id'] } },
      hub,
      { countedWith: null },
    ],
    ['each receipt', { ...own, settings: { ...own.settings, dedup: 'off' } }, hub, { countedWith: 'receipt' }],
    ['in forms of new sources', own, { ...hub, 'content-type': formType }, { identifiesForm: true }],
    [
      'not in those of older ones',
      { ...own, dedup_rule: 1 },
      { ...hub, 'content-type': formType },
      { identifiesForm: false },
    ],
  ])('%s', async (_what, source, headers, expected) => {
    const harness = createHarness({ source: sourceOf(source) });
    expect((await harness.send({ body, headers })).status).toBe(202);
    expect(harness.producer.records.map(webhookOf)[0]).toMatchObject(expected);
  });

  test('a list of places is one only with all its headers', async () => {
    const settings: SourceSettings = { dedup_id: [['/id', 'header:X-At'], ['/id', '/n'], '/id'] };
    const harness = createHarness({ source: sourceOf({ settings }) });
    await harness.send({ body, headers: signed(body) });
    await harness.send({ body, headers: { ...signed(body), 'X-At': '7' } });
    const [without, withIt] = harness.producer.records.map(webhookOf);
    const rest = [{ all: [{ pointer: '/id' }, { pointer: '/n' }] }, { pointer: '/id' }];
    expect(without).toMatchObject({ identifyBy: rest });
    expect(withIt).toMatchObject({ identifyBy: [{ all: [{ pointer: '/id' }, { value: '7' }] }, ...rest] });
  });
});
