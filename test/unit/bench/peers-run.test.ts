import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { reconcile } from '../../bench/peers/reconcile.ts';
import type { TrafficJob } from '../../bench/peers/traffic/job.ts';
import { startTraffic, type Traffic } from '../../bench/peers/traffic/traffic.ts';

/** A system that loses, repeats, refuses and delivers without acknowledging, each where it is told. */
const behaviour: Readonly<Record<number, 'loses' | 'repeats' | 'refuses once' | 'delivers, and fails'>> = {
  3: 'loses',
  5: 'repeats',
  7: 'refuses once',
  9: 'delivers, and fails',
};

let traffic: Traffic;
const refused = new Set<number>();
const system = createServer((asked, answer) => {
  const served = buffer(asked).then(async (body) => {
    const number = Number(/"bench_id":"\w+-(\d+)"/.exec(body.toString())?.[1]);
    const does = behaviour[number];
    const refuses = does === 'delivers, and fails' || (does === 'refuses once' && !refused.has(number));
    refused.add(number);
    answer.writeHead(refuses ? 503 : 202).end();
    if (does === 'loses' || (does === 'refuses once' && refuses)) return;
    for (const port of traffic.ports.slice(0, 2)) {
      await deliver(port, body);
      if (does === 'repeats') await deliver(port, body);
    }
  });
  // In the end the receiver goes away while some is still delivered to it.
  served.catch(() => undefined);
});

const deliver = (port: number, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': body.length } });
    sent.once('response', (response) => response.resume().once('end', resolve));
    sent.once('error', reject);
    sent.end(body);
  });

const job = (run: string, more: Partial<TrafficJob>): TrafficJob => ({
  ...{ run, connections: 4, endpoints: 2, hangsForMs: undefined, sendsAgain: false, tellAfter: undefined },
  target: {
    ...{ host: '127.0.0.1', port: (system.address() as AddressInfo).port, path: '/', headers: {} },
    ...{ before: '', after: '' },
  },
  pace: { kind: 'open', perSecond: 200, count: 12 },
  ...more,
});
const limits = { atMostMs: 10_000, idleMs: 2_000 };

beforeAll(async () => {
  await new Promise<void>((resolve) => system.listen(0, '127.0.0.1', resolve));
  traffic = await startTraffic();
});

afterAll(() => {
  traffic.stop();
  system.close();
});

it('what a system loses, repeats, refuses, or delivers without saying so, is found', async () => {
  await traffic.prepare(job('first', {}));
  await traffic.publish();
  const record = await traffic.drain(limits);

  expect(record.failures).toEqual({ 503: 2 });
  expect(reconcile(record)).toMatchObject({
    ...{ published: 12, acknowledged: 10, arrived: 20, lost: 2, twice: 2, unacknowledged: 2 },
  });
});

it('an endpoint that hangs is expected to get nothing, and what is sent again until it is taken comes through', async () => {
  let reached = 0;
  const pace = { kind: 'open', perSecond: 200, count: 9 } as const;
  refused.clear();
  await traffic.prepare(job('second', { pace, sendsAgain: true, tellAfter: 4, hangsForMs: 100 }));
  await traffic.publish(() => (reached += 1));
  const record = await traffic.drain(limits);

  expect({ reached, sentAgain: record.sentAgain }).toEqual({ reached: 1, sentAgain: 1 });
  expect(reconcile(record, 1)).toMatchObject({ acknowledged: 9, arrived: 8, lost: 1, twice: 1, unacknowledged: 0 });
});

it('as fast as it goes, each connection publishes the next when the last is acknowledged', async () => {
  await traffic.prepare(job('third', { pace: { kind: 'closed', seconds: 0.2 }, endpoints: 1 }));
  await traffic.publish();
  const record = await traffic.drain({ ...limits, idleMs: 200 });

  expect(record.published).toBeGreaterThan(4);
  expect(record.publishedMs).toBeGreaterThanOrEqual(200);
  expect(record.dueAt).toHaveLength(record.published);
});
