import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../support/percentiles.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { signAsStandardWebhooks } from '../support/sign-webhook.ts';
import { waitUntil } from '../support/wait-until.ts';
import { askAt } from '../unit/api/ask.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

interface Source {
  tenant: string;
  id: string;
  secret: string;
  ingest_url: string;
}

let pipeline: OwnPipeline;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  pipeline = await startOwnPipeline();
});
afterAll(async () => {
  await pipeline?.close();
  await receiver?.stop();
});

async function ask<T>(tenant: string, method: string, path: string, body?: object): Promise<T> {
  const answer = await askAt(Number(new URL(pipeline.stack.apiUrl).port), {
    method,
    path: `/v1${path}`,
    headers: {
      authorization: `Bearer ${pipeline.stack.adminKey}`,
      'hookline-tenant': tenant,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json<T>();
}

/** Known by the id of the webhook: a delivery has another one each time round. */
async function createSource(tenant: string, settings: object = {}): Promise<Source> {
  const body = { name: 'in a loop', scheme: 'standard-webhooks', ...settings };
  return { tenant, ...(await ask<Omit<Source, 'tenant'>>(tenant, 'POST', '/sources', body)) };
}
/** The events of one source go to another one, which takes them for its own. */
const connect = ({ tenant, id }: Source, to: Source): Promise<unknown> =>
  ask(tenant, 'POST', '/endpoints', { url: to.ingest_url, secret: to.secret, source_ids: [id] });
const settled = (): Promise<void> => delay(6_000);

let sent = 0;
async function send(source: Source, headers: Record<string, string> = {}, body = Buffer.from('{}')): Promise<string> {
  const signature = signAsStandardWebhooks(source.secret, body, `msg_${(sent += 1)}`, Math.floor(Date.now() / 1_000));
  const answer = await fetch(source.ingest_url, { method: 'POST', headers: { ...signature, ...headers }, body });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { id: string }).id;
}

interface EventJson {
  id: string;
  status: string;
  deliveries: Record<string, number>;
}
const eventsOf = ({ tenant, id }: Source): Promise<EventJson[]> =>
  ask<EventJson[]>(tenant, 'GET', `/events?source_id=${id}&order=desc&limit=1000`);

/** How many events each source has, once that does not change any more. */
async function finalCounts(sources: readonly Source[]): Promise<number[]> {
  let counts: number[] = [];
  let since = Date.now();
  await waitUntil(
    'no more events come',
    async () => {
      const now = (await Promise.all(sources.map(eventsOf))).map((events) => events.length);
      if (now.join() !== counts.join()) [counts, since] = [now, Date.now()];
      if (now.some((count) => count > 100)) return true;
      return Date.now() - since > 4_000 && now.some((count) => count > 0);
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  return counts;
}

/** For each event, the oldest first: null if an endpoint got it, else the one reason that all have. */
async function reasonsOf(source: Source): Promise<(string | null)[]> {
  const events = (await eventsOf(source)).toReversed();
  const all = await Promise.all(
    events.map(({ id }) =>
      ask<{ reason: string | null; matched: boolean }[]>(source.tenant, 'GET', `/events/${id}/matching`),
    ),
  );
  return all.map((matches) => {
    if (matches.some(({ matched }) => matched)) return null;
    return [...new Set(matches.map(({ reason }) => reason))].join();
  });
}

describe('events that come back', () => {
  test('to their own source end at the second visit, which is stored and says why', () =>
    pipeline.explain(async () => {
      const source = await createSource('self');
      await connect(source, source);
      await settled();
      await send(source);
      expect(await finalCounts([source])).toEqual([2]);
      expect(await reasonsOf(source)).toEqual([null, 'loop']);
      const [second] = await eventsOf(source);
      expect(second).toMatchObject({ status: 'completed', deliveries: { delivered: 0, pending: 0, retrying: 0 } });
      // A replay goes round once more.
      await ask('self', 'POST', `/events/${second?.id}/replay`, {});
      expect(await finalCounts([source])).toEqual([3]);
      expect((await reasonsOf(source)).at(-1)).toBe('loop');
    }));

  test('by another tenant, or doubled each time, or beyond eight sources, end as well; published ones begin anew', () =>
    pipeline.explain(async () => {
      const [one, other] = [await createSource('one'), await createSource('other')];
      await connect(one, other);
      await connect(other, one);
      // Deliveries of one event to two endpoints have the same id.
      const doubling = await createSource('doubling', { dedup_id: ['header:traceparent'] });
      for (let turn = 0; turn < 2; turn += 1) await connect(doubling, doubling);
      const chain = await Promise.all(Array.from({ length: 10 }, () => createSource('chain')));
      for (const [at, source] of chain.entries()) if (at > 0) await connect(chain[at - 1] as Source, source);
      const published = await createSource('published');
      await ask('published', 'POST', '/endpoints', { url: published.ingest_url, secret: published.secret });
      await settled();
      await Promise.all([one, doubling, chain[0] as Source].map((source) => send(source)));
      await ask('published', 'POST', '/events', { type: 'a.b', payload: {} });
      expect(await finalCounts([one, other, doubling, published, ...chain])).toEqual([
        ...[2, 1, 3, 2],
        ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
      ]);
      expect(await reasonsOf(one)).toEqual([null, 'loop']);
      expect(await reasonsOf(chain[7] as Source)).toEqual([null]);
      expect(await reasonsOf(chain[8] as Source)).toEqual(['loop']);
      expect(await reasonsOf(published)).toEqual([null, 'loop']);
    }));

  test('are not ended by a trail that somebody else has written', () =>
    pipeline.explain(async () => {
      const source = await createSource('forged');
      const endpoint = await ask<{ id: string; secret: string }>('forged', 'POST', '/endpoints', {
        url: receiver.url('forged'),
      });
      receiver.register('forged', endpoint);
      let trail = '';
      receiver.react(({ headers }) => ((trail = String(headers['hookline-trail'])), { status: 200 }));
      await settled();
      await send(source);
      await waitUntil('it has come', () => trail !== '');
      expect(trail).toMatch(/^v1\.[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{22}$/);
      const [, mark = '', mac = ''] = trail.split('.');
      const forged = [
        `v1.${mark}.${'A'.repeat(22)}`,
        `v1.${mark}.${mark}.${mac}`,
        `v1.${mark}`,
        mark,
        'x'.repeat(8_000),
      ];
      for (const header of forged) await send(source, { 'hookline-trail': header });
      await waitUntil('all have come', () => receiver.arrivals.length === 1 + forged.length);
      // Our own ends it, and so it does behind a forged one.
      await send(source, { 'hookline-trail': trail });
      await send(source, { 'hookline-trail': `v1.forged, ${trail}` });
      expect(await finalCounts([source])).toEqual([3 + forged.length]);
      expect((await reasonsOf(source)).filter((reason) => reason === 'loop')).toHaveLength(2);
      expect(receiver.arrivals).toHaveLength(1 + forged.length);
    }));

  test('leave other tenants the time that they had', () =>
    pipeline.explain(async () => {
      const [one, other, bystander] = await Promise.all(
        ['loop-1', 'loop-2', 'bystander'].map((tenant) => createSource(tenant)),
      );
      if (one === undefined || other === undefined || bystander === undefined) throw new Error('no sources');
      await connect(one, other);
      await connect(other, one);
      const endpoint = await ask<{ id: string; secret: string }>('bystander', 'POST', '/endpoints', {
        url: receiver.url('bystander'),
      });
      receiver.register('bystander', endpoint);
      const taken = new Map<string, number>();
      receiver.react(({ body }) => (taken.set(body.toString(), performance.now()), { status: 200 }));
      await settled();

      /** How long the bystander's webhooks took, sent one after another. */
      async function latencies(round: number): Promise<number[]> {
        const begun = new Map<string, number>();
        for (let at = 0; at < 100; at += 1) {
          const text = `{"round":${round},"at":${at}}`;
          begun.set(text, performance.now());
          await send(bystander as Source, {}, Buffer.from(text));
        }
        await waitUntil('all have come', () => [...begun.keys()].every((text) => taken.has(text)));
        return [...begun].map(([text, atMs]) => (taken.get(text) ?? NaN) - atMs);
      }
      const [quiet, beside]: [number[], number[]] = [[], []];
      for (let round = 0; round < 10; round += 1) {
        const isQuiet = round % 2 === 0;
        // One webhook a round: without an end to its loop, hundreds would be under way from then on.
        if (!isQuiet) await send(one);
        (isQuiet ? quiet : beside).push(percentile(await latencies(round), 0.99));
      }
      // The best round of each: others have the machine's own work in them, which comes and goes.
      expect(Math.min(...beside)).toBeLessThan(1.5 * Math.min(...quiet) + 20);
      expect(await finalCounts([one, other])).toEqual([10, 5]);
    }));
});
