import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { endpointSettlingMs } from '#lib/contract';
import { createApiClient } from '../support/api-client.ts';
import { httpPost } from '../support/http-post.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';
import { signAsGithub, signAsHookline } from '../support/sign-webhook.ts';
import { waitUntil } from '../support/wait-until.ts';
import { askAt } from '../unit/api/ask.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const timeoutMs = 60_000;

interface EventJson {
  id: string;
  type: string;
  event_id: string | null;
  duplicates: number;
  payload?: unknown;
  payload_undecoded?: string;
  deliveries: Record<string, number>;
}

/** Bodies that most senders never send, through all that a webhook goes through. */
describe('a webhook', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;
  let source: { id: string; secret: string; ingest_url: string };
  let github: { id: string; secret: string; ingest_url: string };
  const arrived: ReceivedRequest[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.react((request) => {
      arrived.push(request);
      // One that fails once is sent again from its row.
      return { status: request.name === 'refused-once' && request.attempt === 1 ? 500 : 200 };
    });
    pipeline = await startOwnPipeline();
    const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
    source = await api.createSource({
      name: 'hookline',
      scheme: 'hookline',
      dedup_id: ['/id'],
      ordering_key: ['/key'],
    });
    github = await api.createSource({
      name: 'github',
      scheme: 'github',
      dedup_id: '/delivery',
      event_type_from: '/action',
    });
    await api.createEndpoint({ url: receiver.url('all') });
    await api.createEndpoint({
      url: receiver.url('refused-once'),
      source_ids: [github.id],
      retry: { schedule: [0.1] },
    });
    await api.createEndpoint({ url: receiver.url('filtered'), filter: { 'repository.private': true } });
    await delay(endpointSettlingMs);
  });
  afterAll(async () => {
    await pipeline?.close();
    await receiver?.stop();
  });

  const ask = (path: string) =>
    askAt(Number(new URL(pipeline.stack.apiUrl).port), {
      path,
      headers: { authorization: `Bearer ${pipeline.stack.adminKey}` },
    });

  async function send(url: string, body: Buffer, headers: Record<string, string>): Promise<string> {
    const { status, body: answer } = await httpPost({ url, headers, body, timeoutMs });
    expect([status, answer.toString()]).toEqual([202, expect.stringContaining('rcp_') as string]);
    return (JSON.parse(answer.toString()) as { id: string }).id;
  }

  const sendSigned = (body: Buffer, headers: Record<string, string> = {}): Promise<string> =>
    send(source.ingest_url, body, {
      ...headers,
      ...signAsHookline(source.secret, body, Math.floor(Date.now() / 1_000)),
    });

  /** The event of a receipt, all of its deliveries at their end. */
  const eventOf = (receiptId: string, { duplicates = 0 } = {}): Promise<EventJson> =>
    waitUntil(`the event of ${receiptId}`, async () => {
      const [event] = (await ask(`/v1/events?receipt_id=${receiptId}`)).json<(EventJson & { status: string })[]>();
      if (event?.status !== 'completed' || event.duplicates < duplicates) return undefined;
      return (await ask(`/v1/events/${event.id}`)).json<EventJson>();
    });

  it('whose body is gzip is known by what is in it, and arrives as it came, for its receiver to read', () =>
    pipeline.explain(async () => {
      const content = {
        delivery: 'a-delivery',
        action: 'opened',
        repository: { private: true },
        text: 'x'.repeat(2_000),
      };
      const body = gzipSync(JSON.stringify(content));
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const event = await eventOf(
        await send(github.ingest_url, body, { ...headers, ...signAsGithub(github.secret, body) }),
      );
      expect(event).toMatchObject({ type: 'opened', event_id: 'a-delivery', payload: content });

      const requests = arrived.filter(({ eventId }) => eventId === event.id);
      // From the topic, from the row of a retry, and through a filter.
      expect(requests.map(({ name, attempt }) => `${name} ${attempt}`).sort()).toEqual([
        'all 1',
        'filtered 1',
        'refused-once 1',
        'refused-once 2',
      ]);
      for (const request of requests) {
        expect(request.headers).toMatchObject(headers);
        expect(request.body.equals(body)).toBe(true);
        expect(JSON.parse(gunzipSync(request.body).toString())).toEqual(content);
      }
      const payload = await ask(`/v1/events/${event.id}/payload`);
      expect(payload.headers).toMatchObject(headers);
      expect(payload.bytes.equals(body)).toBe(true);

      // The same content, encoded in another way, is the same event.
      const again = brotliCompressSync(JSON.stringify(content));
      const repeated = { 'content-encoding': 'br', ...signAsGithub(github.secret, again) };
      const receipt = await send(github.ingest_url, again, repeated);
      expect(await eventOf(receipt, { duplicates: 1 })).toMatchObject({ id: event.id, duplicates: 1 });
    }));

  it('that is a bomb, or no gzip at all, is known by its bytes', () =>
    pipeline.explain(async () => {
      const bomb = gzipSync(`{"id":"bomb"${' '.repeat(16 * 1024 * 1024)}}`);
      const [ofBomb, ofPlain] = await Promise.all([
        sendSigned(bomb, { 'content-encoding': 'gzip' }).then(eventOf),
        sendSigned(Buffer.from('no gzip'), { 'content-encoding': 'gzip' }).then(eventOf),
      ]);
      expect(ofBomb).toMatchObject({ type: 'webhook', event_id: null, payload_undecoded: 'too_large' });
      expect(ofPlain).toMatchObject({ type: 'webhook', event_id: null, payload_undecoded: 'malformed' });
      // A filter that can't look into it lets it through; one that sees that it is no JSON does not.
      const filtered = arrived.filter(({ name }) => name === 'filtered').map(({ eventId }) => eventId);
      expect([ofBomb.id, ofPlain.id].map((id) => filtered.includes(id))).toEqual([true, false]);
    }));

  it('whose type, identifier and ordering key are no text that Postgres holds is an event all the same', () =>
    pipeline.explain(async () => {
      const odd = ['"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"'];
      for (const text of odd) {
        const body = Buffer.from(`{"id":${text},"type":${text},"key":${text},"name\\u0000":${text}}`);
        const event = await eventOf(await sendSigned(body, { 'content-type': 'application/json' }));
        expect(event).toMatchObject({
          type: expect.stringMatching(/^sha256:/) as string,
          event_id: expect.stringMatching(/^sha256:/) as string,
          payload: JSON.parse(body.toString()) as unknown,
        });
        expect((await ask(`/v1/events/${event.id}/payload`)).bytes.equals(body)).toBe(true);
        expect(arrived.find(({ eventId }) => eventId === event.id)?.body.equals(body)).toBe(true);
        expect(await eventOf(await sendSigned(body), { duplicates: 1 })).toMatchObject({ id: event.id });
      }
      expect((await ask('/v1/dead-letters')).json()).toEqual([]);
    }));
});
