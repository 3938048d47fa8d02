/**
 * Dead letters, replayed under everything that may go wrong, and added up: a dry run, a filtered and paced replay whose dispatcher dies
 * after the claim and after the publish, two operators who ask for all at once, and a cancel. In the end every dead letter has been sent in one
 * generation, by one replay, and every event is completed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, type EventRecord, readSchema, topicsOf } from '#lib/contract';
import { createEventCodec, createProducer, type OutgoingRecord } from '#lib/kafka';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createApiClient } from '../../support/api-client.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventRecord, tenant, unreadableEvent, unreadableWebhook } from './records.ts';
import { createReplayClient, type Replay } from './replay-client.ts';

interface Options {
  pipeline: Pipeline;
  /** Dead letters of deliveries, to two endpoints: an even number. */
  deadLetters: number;
  /** Dead letters of webhooks that dedup can't read, and of unreadable events. */
  malformed: number;
  perSecond: number;
  timeoutMs: number;
  say(line: string): void;
}

export interface ReplayResult {
  deadLetters: number;
  dryRun: { matched: number; deadAfter: number };
  /** The paced one, whose dispatcher died. */
  killed: Replay & { kills: number; seconds: number };
  /** The two that asked for all at the same time. */
  operators: Replay[];
  cancelled: Replay;
  last: Replay;
  /** Dead letters of unreadable records, by stage and generation. They were replayed for dedup and fan-out, and dead-lettered again. */
  unreadable: Record<string, number>;
  /** The replay of one event, when all was over: the event's status, and how often it arrived for that. */
  eventReplay: Replay & { eventStatus: string | undefined; arrivals: number };
  /** Deliveries of generations above the first, by status. */
  replayedDeliveries: Record<string, number>;
  /** Deliveries of one event to one endpoint in more than one of these generations. */
  sentTwice: number;
  deadLettersLeft: Record<string, number>;
  eventStatuses: Record<string, number>;
  /** Answered with 200 more than once: around the kills alone. */
  repeats: number;
}

/** The services that the run needs; the second dispatcher stands still while the first is killed. */
export const replayServices = ['dedup', 'dispatcher', 'dispatcher-2', 'projector', 'api'] as const;

const commitMs = 1_000;

export async function runReplays(options: Options): Promise<ReplayResult> {
  const { stack } = options.pipeline;
  const common = { clock: systemClock, log: silentLogger };
  const postgres = createPostgres({
    ...common,
    url: stack.databaseUrl,
    applicationName: 'replay-run',
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
    clientId: 'replay-run',
    metrics: new Metrics(),
  });
  const receiver = await startReceiver();
  const parts = [postgres, codec, producer];
  for (const part of parts) await part.start();
  const publish = async (records: readonly OutgoingRecord[]): Promise<void> => {
    for (let from = 0; from < records.length; from += 500)
      await Promise.all(records.slice(from, from + 500).map((record) => producer.send(record)));
  };
  try {
    return await run(options, { postgres, receiver, publish, topics, encode: codec.encode });
  } finally {
    await receiver.stop();
    for (const part of parts.reverse()) await part.stop();
  }
}

interface Means {
  postgres: Postgres;
  receiver: Receiver;
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  topics: ReturnType<typeof topicsOf>;
  encode(event: EventRecord): Buffer;
}

async function run(
  { pipeline, deadLetters, malformed, perSecond, timeoutMs, say }: Options,
  { postgres, receiver, publish, topics, encode }: Means,
): Promise<ReplayResult> {
  const { stack } = pipeline;
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const replays = createReplayClient(stack, timeoutMs);
  const count = async (text: string): Promise<Record<string, number>> => {
    const rows = await postgres.query<{ name: string; n: number }>(text, [tenant]);
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  };
  const deadLettersByStatus = () =>
    count(
      `SELECT status AS name, count(*)::int AS n FROM dead_letters WHERE tenant = $1 AND stage = 'dispatcher' GROUP BY 1`,
    );
  const until = (what: string, look: () => Promise<boolean>) =>
    waitUntil(what, look, { timeoutMs, everyMs: 250, describe: () => what });

  receiver.react(() => ({ status: 500 }));
  const endpoints = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const endpoint = await api.createEndpoint({
        url: receiver.url(name),
        retry: { max_attempts: 1 },
        max_in_flight: 50,
      });
      receiver.register(name, endpoint);
      return endpoint;
    }),
  );
  const [first] = endpoints;
  if (first === undefined) throw new Error('no endpoint');
  await delay(endpointSettlingMs + commitMs);

  await publish(Array.from({ length: deadLetters / 2 }, () => eventRecord(topics.events, encode)));
  await publish(Array.from({ length: malformed }, () => unreadableWebhook(topics['webhooks.received'])));
  await publish(Array.from({ length: malformed }, () => unreadableEvent(topics.events)));
  await until(`${deadLetters} deliveries are dead`, async () => (await deadLettersByStatus())['dead'] === deadLetters);
  say(`${deadLetters} dead letters`);
  receiver.react(() => ({ status: 200 }));
  const arrivedBefore = receiver.arrivals.length;

  const preview = await replays.dryRun({ endpoint_id: first.id });
  const dryRun = { matched: preview.matched, deadAfter: (await deadLettersByStatus())['dead'] ?? 0 };

  // Each death a third of the way after the last; a turn sends 25 at the most.
  const turn = Math.max(2, Math.floor(deadLetters / 2 / 25 / 3));
  // One dispatcher alone, so that the replay is in the hands of the one that dies.
  await pipeline.stopService('dispatcher-2');
  const startedAtMs = performance.now();
  const paced = await replays.start({ endpoint_id: first.id, rate_per_second: perSecond });
  const kills = await pipeline.killAlong([
    { point: 'replay.after-claim', turn },
    { point: 'replay.after-publish', turn },
  ]);
  const atDeath = await replays.look(paced.id);
  say(`killed ${kills.length} times; replayed by then: ${atDeath.replayed} of ${atDeath.matched}`);
  await pipeline.startService('dispatcher-2');

  // The rest: two operators at once, a third who changes his mind.
  const slow = await replays.start({ stage: 'dispatcher', limit: Math.ceil(deadLetters / 10), rate_per_second: 1 });
  const asked = await Promise.all([
    replays.start({ stage: 'dispatcher', reason: 'retries_exhausted' }),
    replays.start({ stage: 'dispatcher', reason: 'retries_exhausted' }),
  ]);
  await until('some of the slow replay is sent', async () => (await replays.look(slow.id)).replayed > 0);
  await replays.cancel(slow.id);
  const killed = await replays.ended(paced.id);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const operators = await Promise.all(asked.map(({ id }) => replays.ended(id)));
  const cancelled = await replays.ended(slow.id);
  const last = await replays.ended((await replays.start({ stage: 'dispatcher' })).id);

  for (const stage of ['dedup', 'fan-out']) await replays.ended((await replays.start({ stage })).id);
  const generations = () =>
    count(`SELECT stage || ' ' || generation AS name, count(*)::int AS n FROM dead_letters
            WHERE tenant = $1 AND stage <> 'dispatcher' GROUP BY 1`);
  await until('what can’t be read has died again', async () => {
    const seen = await generations();
    return seen['dedup 1'] === malformed && seen['fan-out 1'] === malformed;
  });

  const events = () => count('SELECT status AS name, count(*)::int AS n FROM events WHERE tenant = $1 GROUP BY 1');
  await until('every event is completed', async () => (await events())['completed'] === deadLetters / 2);
  const twice = await count(
    `SELECT 'n' AS name, count(*)::int AS n
       FROM (SELECT FROM deliveries WHERE tenant = $1 AND generation > 0
              GROUP BY event_id, endpoint_id HAVING count(*) > 1) AS t`,
  );
  const arrived = receiver.arrivals.slice(arrivedBefore).length;
  const sums = {
    replayedDeliveries: await count(
      'SELECT status AS name, count(*)::int AS n FROM deliveries WHERE tenant = $1 AND generation > 0 GROUP BY 1',
    ),
    deadLettersLeft: await deadLettersByStatus(),
    eventStatuses: await events(),
  };
  return {
    deadLetters,
    dryRun,
    killed: { ...killed, kills: kills.length, seconds: Math.round(seconds * 10) / 10 },
    operators,
    cancelled,
    last,
    unreadable: await generations(),
    eventReplay: await replayOneEvent(),
    ...sums,
    sentTwice: twice['n'] ?? 0,
    repeats: arrived - deadLetters,
  };

  async function replayOneEvent(): Promise<ReplayResult['eventReplay']> {
    const id = receiver.arrivals.at(-1)?.eventId ?? '';
    const before = receiver.arrivals.length;
    const replay = await replays.ended((await replays.startEvent(id)).id);
    // One of each endpoint from before, one of each now.
    await until('the event is delivered to both endpoints again', async () => {
      const deliveries = await api.deliveriesOf(id);
      return deliveries.filter(({ status }) => status === 'delivered').length === 4;
    });
    const [event] = await postgres.query<{ status: string }>('SELECT status FROM events WHERE id = $1', [id]);
    return { ...replay, eventStatus: event?.status, arrivals: receiver.arrivals.length - before };
  }
}
