/**
 * Events, replayed by filter under everything that may go wrong, and added up: two operators who count and start the same at once, a dispatcher
 * that dies after the claim and after the publish, a process of the API that dies while it chooses, events that come after the dry run, a
 * cancel, and a retry and a cancel of the deliveries that wait. In the end every pair of event and endpoint was sent once again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, readSchema, topicsOf } from '#lib/contract';
import { createEventCodec, createProducer, type OutgoingRecord } from '#lib/kafka';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import type { Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventRecord } from './records.ts';
import { type BulkReplay, createReplayClient } from './replay-client.ts';

interface Options {
  pipeline: Pipeline;
  /** Each has two endpoints. */
  events: number;
  perSecond: number;
  timeoutMs: number;
  say(line: string): void;
}

export interface ByFilterResult {
  events: number;
  /** Deliveries that each operator's dry run has counted. */
  counted: number[];
  byEndpoint: number[];
  /** The statuses with which both were answered. */
  begun: string[];
  operators: BulkReplay[];
  kills: number;
  seconds: number;
  /** Events that came after the dry runs, and how many of them were replayed. */
  later: { events: number; replayed: number };
  /** Deliveries of generations above the first when both had ended, by status. */
  replayed: Record<string, number>;
  /** Pairs of event and endpoint in more than one of these generations. */
  sentTwice: number;
  /** Arrivals beyond one for each delivery: around the kills alone. */
  repeats: number;
  cancelled: BulkReplay & { arrived: number };
  retried: { counted: number; ended: BulkReplay; delivered: number };
  ended: { counted: number; ended: BulkReplay; cancelled: number };
  eventStatuses: Record<string, number>;
}

/** The services that it needs; the second dispatcher stands still while the first is killed. */
export const byFilterServices = ['dedup', 'dispatcher', 'dispatcher-2', 'projector', 'api'] as const;

/** Not that of the other scenario, which has been there before. */
const tenant = 'by-filter';
const commitMs = 1_000;
const few = 20;

export async function runByFilter(options: Options): Promise<ByFilterResult> {
  const { stack } = options.pipeline;
  const common = { clock: systemClock, log: silentLogger };
  const postgres = createPostgres({
    ...common,
    url: stack.databaseUrl,
    applicationName: 'by-filter-run',
    maxConnections: 2,
    statementTimeoutMs: 30_000,
  });
  const topics = topicsOf(stack.topicPrefix);
  const codec = createEventCodec({
    ...common,
    registryUrl: stack.schemaRegistryUrl,
    topic: topics.events,
    schema: readSchema('events'),
  });
  const producer = createProducer({
    ...common,
    brokers: stack.kafkaBrokers,
    clientId: 'by-filter-run',
    metrics: new Metrics(),
  });
  const receiver = await startReceiver();
  const parts = [postgres, codec, producer];
  for (const part of parts) await part.start();
  const publish = async (count: number): Promise<void> => {
    const records = Array.from({ length: count }, (): OutgoingRecord =>
      eventRecord(topics.events, codec.encode, tenant),
    );
    for (let from = 0; from < count; from += 500)
      await Promise.all(records.slice(from, from + 500).map((record) => producer.send(record)));
  };
  try {
    return await run(options, { postgres, receiver, publish });
  } finally {
    await receiver.stop();
    for (const part of parts.reverse()) await part.stop();
  }
}

interface Means {
  postgres: Postgres;
  receiver: Receiver;
  publish(count: number): Promise<void>;
}

async function run(
  { pipeline, events, perSecond, timeoutMs, say }: Options,
  { postgres, receiver, publish }: Means,
): Promise<ByFilterResult> {
  const { stack } = pipeline;
  const replays = createReplayClient(stack, timeoutMs, tenant);
  const count = async (text: string): Promise<Record<string, number>> => {
    const rows = await postgres.query<{ name: string; n: number }>(text, [tenant]);
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  };
  const until = (what: string, look: () => Promise<boolean>) =>
    waitUntil(what, look, { timeoutMs, everyMs: 250, describe: () => what });
  const statuses = () => count('SELECT status AS name, count(*)::int AS n FROM events WHERE tenant = $1 GROUP BY 1');
  const allCompleted = (n: number) =>
    until(`${n} events are completed`, async () => (await statuses())['completed'] === n);
  const statusesAgain = () =>
    count('SELECT status AS name, count(*)::int AS n FROM deliveries WHERE tenant = $1 AND generation > 0 GROUP BY 1');

  const endpoints = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const endpoint = await replays.createEndpoint({
        url: receiver.url(name),
        retry: { schedule: [3_600], jitter: 0 },
        max_in_flight: 50,
      });
      receiver.register(name, endpoint);
      return endpoint;
    }),
  );
  const [first] = endpoints;
  if (first === undefined) throw new Error('no endpoint');
  await delay(endpointSettlingMs + commitMs);
  await publish(events);
  await allCompleted(events);
  say(`${events} events`);

  // Both operators count, then more comes, then both start.
  const path = '/events/replay';
  const request = { filter: { type: 'order.created' }, rate_per_second: perSecond };
  const previews = await Promise.all([replays.count(path, request), replays.count(path, request)]);
  const later = Math.ceil(events / 10);
  await publish(later);
  await allCompleted(events + later);
  const arrivedBefore = receiver.arrivals.length;
  // One dispatcher alone, so that the replay is in the hands of the one that dies.
  await pipeline.stopService('dispatcher-2');
  const startedAtMs = performance.now();
  const started = await Promise.all(previews.map((preview) => replays.startCounted(path, request, preview)));
  const begun = await Promise.all(started.map(async ({ id }) => (await replays.look(id)).status));
  // Each death a quarter of the way after the last; a turn sends 25 at the most.
  const turn = Math.max(2, Math.floor((2 * events) / Math.min(25, perSecond / 5) / 4));
  const kills = await pipeline.killAlong([
    { point: 'replay.after-claim', turn },
    { point: 'replay.after-publish', turn },
  ]);
  await pipeline.killService('api');
  await pipeline.startService('dispatcher-2');
  say(`killed ${kills.length + 1} times`);
  const operators = await Promise.all(started.map(({ id }) => replays.ended(id)));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await until('what was replayed is delivered', async () => ((await statusesAgain())['delivered'] ?? 0) >= 2 * events);
  await allCompleted(events + later);
  const replayed = await statusesAgain();
  const twice = await count(
    `SELECT 'n' AS name, count(*)::int AS n
       FROM (SELECT FROM deliveries WHERE tenant = $1 AND generation > 0
              GROUP BY event_id, endpoint_id HAVING count(*) > 1) AS t`,
  );
  const ofLater = await count(
    `SELECT 'n' AS name, count(*)::int AS n FROM deliveries d
      WHERE tenant = $1 AND generation > 0
        AND event_id IN (SELECT id FROM events WHERE tenant = $1 ORDER BY received_at DESC LIMIT ${later})`,
  );
  const repeats = receiver.arrivals.length - arrivedBefore - 2 * events;

  // A third changes his mind.
  const slow = { filter: { type: 'order.created' }, endpoint_id: first.id, rate_per_second: 5 };
  const { id: slowId } = await replays.startCounted(path, slow, await replays.count(path, slow));
  const arrivedByThen = receiver.arrivals.length;
  await until('some of the slow replay is sent', async () => (await replays.look(slowId)).replayed > 2);
  await replays.cancel(slowId);
  const cancelled = await replays.ended(slowId);
  await until('and has arrived', async () => receiver.arrivals.length - arrivedByThen >= cancelled.replayed);
  const arrived = receiver.arrivals.length - arrivedByThen;
  await allCompleted(events + later);

  const retried = await onWaiting('/deliveries/retry', () => receiver.react(() => ({ status: 200 })));
  const ended = await onWaiting('/deliveries/cancel');
  return {
    events,
    counted: previews.map(({ matched }) => matched),
    byEndpoint: previews.flatMap(({ by_endpoint }) => by_endpoint.map(({ deliveries }) => deliveries)),
    begun: begun.sort(),
    operators,
    kills: kills.length + 1,
    seconds: Math.round(seconds * 10) / 10,
    later: { events: later, replayed: ofLater['n'] ?? 0 },
    replayed,
    sentTwice: twice['n'] ?? 0,
    repeats,
    cancelled: { ...cancelled, arrived },
    retried: { counted: retried.counted, ended: retried.ended, delivered: retried.byStatus['delivered'] ?? 0 },
    ended: { counted: ended.counted, ended: ended.ended, cancelled: ended.byStatus['cancelled'] ?? 0 },
    eventStatuses: await statuses(),
  };

  /** A few events fail at both endpoints and wait for an hour; then this is done to their deliveries. */
  async function onWaiting(action: '/deliveries/retry' | '/deliveries/cancel', before: () => void = () => undefined) {
    receiver.react(() => ({ status: 500 }));
    const known = new Set(
      (await postgres.query<{ id: string }>('SELECT id FROM events WHERE tenant = $1', [tenant])).map(({ id }) => id),
    );
    await publish(few);
    const waiting = () => count(`SELECT state AS name, count(*)::int AS n FROM waiting WHERE tenant = $1 GROUP BY 1`);
    await until(`${2 * few} deliveries wait`, async () => {
      const { retrying = 0, parked = 0 } = await waiting();
      return retrying + parked === 2 * few;
    });
    before();
    const filter = { filter: { event_type: 'order.created', since: new Date(0).toISOString() } };
    const preview = await replays.count(action, filter);
    const { id } = await replays.startCounted(action, filter, preview);
    const done = await replays.ended(id);
    await until('none waits', async () => Object.keys(await waiting()).length === 0);
    const ofNew = async (): Promise<Record<string, number>> => {
      const rows = await postgres.query<{ event_id: string; status: string }>(
        `SELECT event_id, status FROM deliveries WHERE tenant = $1`,
        [tenant],
      );
      const statuses = rows.flatMap(({ event_id, status }) => (known.has(event_id) ? [] : status));
      return Object.fromEntries(
        Object.entries(Object.groupBy(statuses, (status) => status)).map(([status, all = []]) => [status, all.length]),
      );
    };
    await until('all have ended', async () => {
      const { delivered = 0, cancelled = 0 } = await ofNew();
      return delivered + cancelled === 2 * few;
    });
    return { counted: preview.matched, ended: done, byStatus: await ofNew() };
  }
}

/** The sums that do not add up, in words. */
export function byFilterViolations(result: ByFilterResult): string[] {
  const { events, operators, cancelled, retried, ended } = result;
  const pairs = 2 * events;
  const found: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) found.push(`${what}: ${is}, not ${should}`);
  };
  expect('both dry runs have counted', result.counted, [pairs, pairs]);
  expect('by endpoint', result.byEndpoint, [events, events, events, events]);
  expect('one of both is queued', result.begun, ['queued', 'running']);
  expect(
    'the one has sent all, the other has left it out',
    operators
      .map(({ status, matched, replayed, failed, left_out }) => [status, matched, replayed, failed, left_out])
      .sort((a, b) => Number(b[1]) - Number(a[1])),
    [
      ['completed', pairs, pairs, 0, 0],
      ['completed', 0, 0, 0, pairs],
    ],
  );
  expect('deliveries of replays', result.replayed, { delivered: pairs });
  expect('pairs that were sent twice', result.sentTwice, 0);
  expect('of events that came later', result.later.replayed, 0);
  if (result.repeats < 0) found.push(`${-result.repeats} deliveries have not arrived`);
  expect('the cancelled one', cancelled.status, 'cancelled');
  expect('is as long as its parts', cancelled.matched, cancelled.replayed + cancelled.failed + cancelled.remaining);
  expect('and has sent no more than it says', cancelled.arrived, cancelled.replayed);
  for (const [what, { counted, ended: replay }, done] of [
    ['the retry', retried, retried.delivered],
    ['the cancel', ended, ended.cancelled],
  ] as const)
    expect(
      what,
      [counted, replay.status, replay.replayed, replay.left_out, done],
      [2 * few, 'completed', 2 * few, 0, 2 * few],
    );
  return found;
}
