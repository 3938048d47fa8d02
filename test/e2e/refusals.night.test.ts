import type { Send } from '../faults/checker/history.ts';
import { createApiClient } from '../support/api-client.ts';
import { readCounters } from '../support/read-counters.ts';
import { createSender, type Sender } from '../support/sender.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { signAsHookline } from '../support/sign-webhook.ts';
import { createTopicFollower, type TopicFollower } from '../support/topic-follower.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const body = Buffer.from('{"id":"1","type":"order.paid"}');
const tooLarge = Buffer.alloc(2 * 1024 * 1024, 'x');

/** Requests that must not get past the ingress; `signed` makes the headers of a body that is signed as the source wants it. */
const refusals: [
  what: string,
  status: number,
  code: string,
  content: Buffer,
  headers: (secret: string) => Record<string, string>,
][] = [
  ['a wrong signature', 401, 'signature_invalid', body, () => signAsHookline('whsec_another', body, nowSeconds())],
  [
    'a body that was changed after it was signed',
    401,
    'signature_invalid',
    Buffer.from('{"id":"2"}'),
    (secret) => signAsHookline(secret, body, nowSeconds()),
  ],
  ['no signature', 401, 'signature_missing', body, () => ({})],
  [
    'a timestamp that is too old',
    401,
    'timestamp_out_of_tolerance',
    body,
    (secret) => signAsHookline(secret, body, nowSeconds() - 310),
  ],
  [
    'a timestamp from the future',
    401,
    'timestamp_out_of_tolerance',
    body,
    (secret) => signAsHookline(secret, body, nowSeconds() + 310),
  ],
  [
    'a t= that is no number',
    400,
    'signature_malformed',
    body,
    (secret) => broken(signAsHookline(secret, body, nowSeconds()), /t=\d+/, 't=yesterday'),
  ],
  [
    'two t=',
    400,
    'signature_malformed',
    body,
    (secret) => broken(signAsHookline(secret, body, nowSeconds()), /t=(\d+)/, 't=$1,t=$1'),
  ],
  [
    'no v1=',
    400,
    'signature_malformed',
    body,
    (secret) => broken(signAsHookline(secret, body, nowSeconds()), /v1=/, 'v0='),
  ],
  [
    'a body of 2 MiB that does not say its length',
    413,
    'payload_too_large',
    tooLarge,
    (secret) => ({ 'transfer-encoding': 'chunked', ...signAsHookline(secret, tooLarge, nowSeconds()) }),
  ],
  ['a body of 2 MiB', 413, 'payload_too_large', tooLarge, (secret) => signAsHookline(secret, tooLarge, nowSeconds())],
];

describe('bad input', () => {
  let pipeline: OwnPipeline;
  let source: { id: string; secret: string; ingest_url: string };
  let sender: Sender;
  let follower: TopicFollower;

  beforeAll(async () => {
    pipeline = await startOwnPipeline({ services: ['ingress', 'api'] });
    const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
    source = await api.createSource({ name: 'bad input', scheme: 'hookline' });
    sender = createSender({ ingestUrl: source.ingest_url, sourceId: source.id, random: seededRandom(1) });
    follower = createTopicFollower(pipeline.stack);
    await follower.start();
  });
  afterAll(async () => {
    sender?.close();
    await follower?.stop();
    await pipeline?.close();
  });

  const received = async () => (await follower.contents())['webhooks.received'];
  const countOf = async (sourceId: string, outcome: string): Promise<number> => {
    const counters = await readCounters(pipeline.metricsUrl('ingress'), 'hookline_ingress_requests_total');
    return counters({ source: sourceId, outcome });
  };

  it.each(refusals)(
    '%s is answered with %i %s, counted, and not on the topic',
    (_what, status, code, content, headersFor) =>
      pipeline.explain(async () => {
        const before = await countOf(source.id, code);
        const answer = await sender.send({ identity: code, body: content, headers: headersFor(source.secret) });

        expect(answer).toMatchObject({ status, detail: code });
        expect(await countOf(source.id, code)).toBe(before + 1);
        expect(await received()).toEqual([]);
      }),
  );

  it('an unknown source is answered with 404 not_found, counted, and not on the topic', () =>
    pipeline.explain(async () => {
      const unknownId = `${source.id.slice(0, -1)}${source.id.endsWith('0') ? '1' : '0'}`;
      const stranger = createSender({
        ingestUrl: source.ingest_url.replace(source.id, unknownId),
        sourceId: unknownId,
        random: seededRandom(2),
      });
      const answer = await stranger
        .send({ identity: 'stranger', body, headers: signAsHookline(source.secret, body, nowSeconds()) })
        .finally(() => stranger.close());

      expect(answer).toMatchObject({ status: 404, detail: 'not_found' });
      expect(await countOf('unknown', 'not_found')).toBe(1);
      expect(await received()).toEqual([]);
    }));

  it('a correctly signed body that is not JSON is accepted, and on the topic byte for byte', () =>
    pipeline.explain(async () => {
      const odd = Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a, ...Buffer.from('} not JSON; 😀')]);
      const answer: Send = await sender.send({
        identity: 'odd',
        body: odd,
        headers: { 'content-type': 'application/json', ...signAsHookline(source.secret, odd, nowSeconds()) },
      });

      expect(answer).toMatchObject({ status: 202, receiptId: expect.stringMatching(/^rcp_/) as string });
      expect(await received()).toMatchObject([{ receiptId: answer.receiptId, bodySha256: answer.bodySha256 }]);
      expect(await countOf(source.id, 'accepted')).toBe(1);
    }));
});

function broken(headers: Record<string, string>, part: RegExp, by: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(part, by)]));
}
