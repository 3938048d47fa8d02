import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { reconcile } from '../../bench/peers/reconcile.ts';
import type { TrafficJob } from '../../bench/peers/traffic/job.ts';
import { startTraffic, type Traffic } from '../../bench/peers/traffic/traffic.ts';

/** How a system treats an event, by its number; others it treats as it should. */
type Behaviour = 'loses' | 'repeats' | 'refuses once' | 'delivers, and fails' | 'delivers late';
let behaviour: Readonly<Record<number, Behaviour>>;
let lateMs: number;
const endpoints = 2;

let traffic: Traffic;
let refused: Set<number>;

async function takeEvent(number: number, body: Buffer, answer: (status: number) => void): Promise<void> {
  const does = behaviour[number];
  const isRefused = does === 'refuses once' && !refused.has(number);
  refused.add(number);
  answer(isRefused || does === 'delivers, and fails' ? 503 : 202);
  if (isRefused || does === 'loses') return;
  if (does === 'delivers late') await delay(lateMs);
  for (const port of traffic.ports.slice(0, endpoints)) {
    await deliver(port, body);
    if (does === 'repeats') await deliver(port, body);
  }
}

const deliver = (port: number, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': body.length } });
    sent.once('response', (response) => response.resume().once('end', resolve));
    sent.once('error', reject);
    sent.end(body);
  });

const system = createServer((asked, answer) => {
  const taken = buffer(asked).then((body) => {
    const number = Number(/"bench_id":"\w+-(\d+)"/.exec(body.toString())?.[1]);
    return takeEvent(number, body, (status) => void answer.writeHead(status).end());
  });
  // In the end the receiver goes away while some is still delivered to it.
  taken.catch(() => undefined);
});

const job = (run: string, more: Partial<TrafficJob>): TrafficJob => ({
  run,
  connections: 4,
  endpoints,
  hangsForMs: undefined,
  sendsAgain: false,
  tellAfter: undefined,
  target: {
    host: '127.0.0.1',
    port: (system.address() as AddressInfo).port,
    path: '/',
    headers: {},
    before: '',
    after: '',
  },
  pace: { kind: 'open', perSecond: 200, count: 12 },
  ...more,
});
const limits = { atMostMs: 10_000, idleMs: 2_000 };

beforeAll(async () => {
  await new Promise<void>((resolve) => system.listen(0, '127.0.0.1', resolve));
  traffic = await startTraffic();
});

beforeEach(() => {
  behaviour = {};
  lateMs = 500;
  refused = new Set();
});

afterAll(() => {
  traffic.stop();
  system.close();
});

it('what a system loses, repeats, refuses, or delivers without saying so, is found', async () => {
  behaviour = { 3: 'loses', 5: 'repeats', 7: 'refuses once', 9: 'delivers, and fails' };
  await traffic.prepare(job('first', {}));
  await traffic.publish();
  const record = await traffic.drain(limits);

  expect(record.failures).toEqual({ 503: 2 });
  expect(reconcile(record)).toMatchObject({
    published: 12,
    acknowledged: 10,
    arrived: 20,
    lost: 2,
    twice: 2,
    unacknowledged: 2,
  });
});

it('what arrives without having been acknowledged does not stand for what is still to come', async () => {
  behaviour = { 0: 'delivers, and fails', 11: 'delivers late' };
  await traffic.prepare(job('late', {}));
  await traffic.publish();
  const record = await traffic.drain(limits);

  expect(reconcile(record)).toMatchObject({ acknowledged: 11, arrived: 24, lost: 0, unacknowledged: 2 });
  expect(record.atPublished.outstanding).toBeGreaterThan(0);
});

it('what comes after the end of its run is late, and what never comes is lost', async () => {
  behaviour = { 3: 'loses', 5: 'delivers late' };
  lateMs = 2_500;
  await traffic.prepare(job('slow', {}));
  await traffic.publish();
  const record = await traffic.drain({ ...limits, atMostMs: 0 });
  const missing = reconcile(record).lost;
  behaviour = {};
  await traffic.prepare(job('next', {}));
  await traffic.publish();
  expect(reconcile(await traffic.drain(limits))).toMatchObject({ acknowledged: 12, lost: 0 });
  const outstanding = await traffic.settle({ atMostMs: 6_000, idleMs: 6_000 });

  expect(missing).toBeGreaterThanOrEqual(4);
  expect(outstanding).toMatchObject({ slow: 2 });
});

it('an endpoint that hangs is expected to get nothing, and what is sent again until it is taken comes through', async () => {
  behaviour = { 3: 'loses', 5: 'repeats', 7: 'refuses once' };
  let reached = 0;
  await traffic.prepare(job('hanging', { sendsAgain: true, tellAfter: 4, hangsForMs: 100 }));
  await traffic.publish(() => (reached += 1));
  const record = await traffic.drain(limits);

  expect({ reached, sentAgain: record.sentAgain }).toEqual({ reached: 1, sentAgain: 1 });
  expect(reconcile(record, 1)).toMatchObject({ acknowledged: 12, arrived: 11, lost: 1, twice: 1, unacknowledged: 0 });
});

it('as fast as it goes, each connection publishes the next when the last is acknowledged', async () => {
  const seconds = 0.2;
  await traffic.prepare(job('closed', { pace: { kind: 'closed', seconds } }));
  await traffic.publish();
  const { published, publishedMs, acknowledgedAt, dueAt } = await traffic.drain(limits);

  expect(publishedMs).toBeGreaterThanOrEqual(1_000 * seconds);
  expect(published).toBeGreaterThan(4);
  const underWay = (atMs: number): number =>
    dueAt.filter((dueAtMs, number) => dueAtMs <= atMs && (acknowledgedAt[number] ?? 0) > atMs).length;
  expect(Math.max(...dueAt.map(underWay))).toBe(4);
});
