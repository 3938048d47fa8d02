import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Answer, askAt } from '../unit/api/ask.ts';
import { isReplay } from '../unit/idempotency/world.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const processes = ['api', 'api-2'] as const;

/** Requests with an Idempotency-Key to two processes of the API at once, through all that an event goes through. */
describe('a client of two processes', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    pipeline = await startOwnPipeline({ services: ['dispatcher', 'projector', ...processes] });
  });
  afterAll(async () => {
    await pipeline?.close();
    await receiver?.stop();
  });

  const ask = (method: string, path: string, given: { body?: string; key?: string; process?: number } = {}) => {
    const process = processes[(given.process ?? 0) % processes.length] ?? 'api';
    return askAt(Number(new URL(pipeline.apiUrl(process)).port), {
      method,
      path,
      headers: {
        authorization: `Bearer ${pipeline.stack.adminKey}`,
        ...(given.key !== undefined && { 'idempotency-key': given.key }),
        ...(given.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(given.body !== undefined && { body: given.body }),
    });
  };

  /** @returns the answer that all of them lead to, after each was repeated until it had it */
  async function askAtOnce(path: string, body: string, key: string, status: number): Promise<Answer> {
    const asking = Array.from({ length: 100 }, (_, process) => ask('POST', path, { body, key, process }));
    const answers = await Promise.all(asking);
    const settled = answers.filter((answer) => answer.status === status);
    // 503 where the machine is busy: to be sent again with the same key, as the conflicts are.
    const others = answers.filter((answer) => answer.status !== status).map((answer) => answer.status);
    expect(new Set(others).isSubsetOf(new Set([409, 503]))).toBe(true);
    const last = await waitUntil('it is answered', async () => {
      const answer = await ask('POST', path, { body, key });
      return answer.status === status && answer;
    });
    const all = [...settled, last];
    expect(all.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers.location)).size).toBe(1);
    return last;
  }

  it('has one endpoint of a hundred requests at once with one key, and one answer', () =>
    pipeline.explain(async () => {
      const body = JSON.stringify({ url: receiver.url('created'), event_types: ['none'], description: 'a hundred' });
      const { id } = (await askAtOnce('/v1/endpoints', body, 'endpoint', 201)).json<{ id: string }>();
      const listed = (await ask('GET', '/v1/endpoints')).json<{ id: string; description: string }[]>();
      expect(listed.filter(({ description }) => description === 'a hundred').map((each) => each.id)).toEqual([id]);
    }));

  it('has one event of a hundred requests at once with one key, delivered once, signed, under the id of the answer', () =>
    pipeline.explain(async () => {
      const created = await ask('POST', '/v1/endpoints', { body: JSON.stringify({ url: receiver.url('well') }) });
      const endpoint = created.json<{ id: string; secret: string }>();
      receiver.register('well', endpoint);
      await delay(endpointSettlingMs + 500);

      const payload = '{ "id": 12345678901234567890, "note": "ünï" }';
      const body = `{"type":"order.paid","payload":${payload}}`;
      const { id } = (await askAtOnce('/v1/events', body, 'event', 202)).json<{ id: string }>();
      const event = await waitUntil('it is completed', async () => {
        const seen = (await ask('GET', `/v1/events/${id}`, { process: 1 })).json<Record<string, unknown>>();
        return seen['status'] === 'completed' && seen;
      });

      expect(event).toMatchObject({
        type: 'order.paid',
        source_id: 'api',
        duplicates: 0,
        deliveries: { delivered: 1 },
      });
      expect((await ask('GET', '/v1/events')).json<{ id: string }[]>().map((each) => each.id)).toEqual([id]);
      expect(receiver.arrivals.filter(({ endpointId }) => endpointId === endpoint.id)).toMatchObject([
        {
          eventId: id,
          attempt: 1,
          answered: 200,
          bodySha256: hash('sha256', Buffer.from(payload)),
          signatures: { stripe: true, standardwebhooks: true },
        },
      ]);
    }));
});
