/**
 * The proof that anybody can run: webhooks and published events go through a pipeline of the run's own while each service is killed at a
 * crash point, a group is rebalanced, Redis forgets everything and Postgres is restarted; then the checker adds up what every side has seen.
 * About a minute; the long runs beside it do more of each for longer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, groupOf, publishedSourceId } from '#lib/contract';
import { type CrashPointName, formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { failing, startReceiver } from '../../support/receiver.ts';
import { numbersFrom } from '../../support/sender.ts';
import { seededRandom, seedOf } from '../../support/seeded-random.ts';
import { createTopicFollower } from '../../support/topic-follower.ts';
import type { Anomaly } from '../checker/anomalies.ts';
import type { Verdict } from '../checker/check.ts';
import { checkWhenDrained } from '../checker/check-when-drained.ts';
import type { Fault } from '../checker/history.ts';
import { createClient } from '../idempotency/client.ts';
import { createLoad } from '../receiving/send-load.ts';
import { deathsIn } from '../support/deaths.ts';
import type { RunSettings } from '../support/fault-run.ts';
import { createGroupWatch } from '../support/group-watch.ts';
import { createHavoc, type Havoc } from '../support/havoc.ts';
import { openLogs } from '../support/process-logs.ts';
import type { FaultyServers } from '../support/servers.ts';
import { deathOf } from '../system/inflict.ts';
import { publishesOf } from '../system/publishes.ts';
import { startTraffic } from '../system/traffic.ts';

/** Counts of senders, receivers and the supervisor so far. */
export interface Progress {
  sent: number;
  acknowledged: number;
  /** Events that a receiver has got. */
  arrived: number;
  kills: number;
}

export interface Proof extends Progress {
  /** Webhooks and events that were acknowledged, and are not where they belong. */
  lost: number;
  /** Webhooks and idempotency keys that have become more than one event. */
  secondEvents: number;
  /** All that the checker found, the two above included. */
  violations: readonly string[];
  faults: readonly Fault[];
  /** The table of the checker. */
  text: string;
}

export interface ProofOptions extends RunSettings {
  faulty: Required<FaultyServers>;
  webhooks: number;
  onProgress?(progress: Progress): void;
}

const partitions = 3;
const visitor = 'dedup-2';
/** The time that the faults take, about: a process starts in two seconds, and a group waits for a dead member as long as its session. */
const expectedMs = 25_000;
const progressEveryMs = 500;
const settlingMarginMs = 1_000;
const quietMs = 60_000;
/** Longer than anything is away, on a machine that is busy with other work, too. */
const giveUpMs = 300_000;
const postgresAwaySeconds = 1;
const visitSeconds = 2;
/** A point is passed once for a batch or a record: among the first few there is always one. */
const maxTurn = 3;
/** So that some deliveries are retried, and few of those dead-lettered. */
const failingShare = 0.2;
const retry = { base_seconds: 1, cap_seconds: 1, max_attempts: 4 };

/** One of a row is chosen by the seed. */
const pointsOf = {
  ingress: ['ingress.before-produce', 'ingress.after-produce'],
  dedup: [
    'dedup.after-claim',
    'dedup.after-insert',
    'publish.after-event',
    'dedup.after-publish',
    'dedup.before-commit',
  ],
  dispatcher: [
    'dispatcher.before-send',
    'dispatcher.after-send',
    'dispatcher.after-outcome',
    'dispatcher.before-commit',
  ],
  projector: ['projector.before-transaction', 'projector.after-ahead', 'projector.after-transaction'],
  api: ['idempotency-group.after-effects', 'idempotency-group.after-commit', 'outbox.after-publish'],
} as const satisfies Record<string, readonly CrashPointName[]>;

const lossAnomalies: readonly Anomaly[] = [
  'lost-write',
  'vanished-record',
  'unseen',
  'missing-delivery',
  'lost-dead-letter',
];
const secondEventAnomalies: readonly Anomaly[] = ['second-event-id', 'second-effect'];

export async function prove(options: ProofOptions): Promise<Proof> {
  const { dir, say, topicPrefix } = options;
  const logs = openLogs(dir);
  const groupWatch = createGroupWatch(groupOf(topicPrefix, 'dedup'), partitions);
  const pipeline = await createPipeline({
    ...options,
    visitors: [visitor],
    isSupervised: true,
    env: { HOOKLINE_TOPIC_PARTITIONS: String(partitions) },
    onLine(name, line) {
      logs.write(name, line);
      groupWatch.onLine(name, line);
    },
  });
  const follower = createTopicFollower(pipeline.stack, { onLine: (line) => logs.write('checker', line) });
  const receiver = await startReceiver();
  try {
    await pipeline.start();
    await follower.start();
    return await proveWith({ ...options, pipeline, follower, receiver, groupWatch });
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await Promise.allSettled([pipeline.stop(), follower.stop(), receiver.stop()]);
    logs.close();
  }
}

interface World extends ProofOptions {
  pipeline: Pipeline;
  follower: ReturnType<typeof createTopicFollower>;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
  groupWatch: ReturnType<typeof createGroupWatch>;
}

async function proveWith(world: World): Promise<Proof> {
  const { pipeline, follower, receiver, seed, webhooks, onProgress, say } = world;
  const { stack } = pipeline;
  const random = (what: string): (() => number) => seededRandom(seedOf(seed, what));
  const startedAt = formatMicros(Date.now() * 1_000);
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const load = await createLoad({
    api,
    scenario: 'prove',
    seed,
    random: random('senders'),
    nextNumber: numbersFrom(0),
  });
  const client = createClient({
    urlOf: () => stack.apiUrl,
    adminKey: stack.adminKey,
    random: random('publishers'),
    giveUpMs,
  });
  const endpoints = await Promise.all(
    ['sound', 'flaky'].map(async (name) => {
      const endpoint = await api.createEndpoint({
        url: receiver.url(name),
        source_ids: [...load.sourceIds, publishedSourceId],
        retry,
      });
      receiver.register(name, endpoint);
      return endpoint;
    }),
  );
  const flaky = failing(failingShare, 503, random('receivers'));
  receiver.react(({ name }) => (name === 'flaky' ? flaky() : { status: 200 }));
  await delay(endpointSettlingMs + settlingMarginMs);

  const faults: Fault[] = [];
  const faultsSoFar = (): readonly Fault[] => [...pipeline.faults, ...faults, ...pipeline.restarts.map(deathOf)];
  const progress = (): Progress => ({
    sent: load.log.length + client.log.length,
    acknowledged:
      load.log.filter(({ outcome }) => outcome === 'ok').length +
      client.log.filter(({ status }) => status === 202).length,
    arrived: new Set(receiver.arrivals.map(({ eventId }) => eventId)).size,
    kills: deathsIn(faultsSoFar()),
  });
  const shown = setInterval(() => onProgress?.(progress()), progressEveryMs);
  try {
    const faultsOver = inflict(world, random('faults'), faults);
    const traffic = startTraffic({ load, client, seed, webhooks, expectedMs, faultsOver });
    await Promise.all([faultsOver, traffic.sent]);
    const verdict = await checkWhenDrained(
      {
        sourceIds: new Set([...load.sourceIds, publishedSourceId]),
        sends: load.log,
        publishes: publishesOf(traffic.intents, client.log),
        arrivals: receiver.arrivals,
        observedEndpoints: new Set(endpoints.map(({ id }) => id)),
        faults: faultsSoFar(),
        follower,
        api,
        databaseUrl: stack.databaseUrl,
        startedAt,
      },
      quietMs,
    );
    say(verdict.text);
    return { ...progress(), ...sumsOf(verdict), faults: faultsSoFar() };
  } finally {
    clearInterval(shown);
    load.close();
    client.close();
  }
}

/** Several at once where they don't hide one another: a service dies while another one starts again. */
async function inflict(world: World, random: () => number, faults: Fault[]): Promise<void> {
  const { pipeline, faulty, groupWatch, say } = world;
  const havoc = createHavoc({
    pipeline,
    servers: faulty,
    groupWatch,
    peers: [],
    random,
    turns: 1,
    awayScale: 1,
    faults,
    say,
  });
  await Promise.all([
    inTurn([killOf(havoc, 'ingress'), killOf(havoc, 'api')]),
    inTurn([killOf(havoc, 'dedup'), () => havoc.visit(visitor, visitSeconds), () => havoc.forget()]),
    inTurn([killOf(havoc, 'dispatcher'), () => havoc.away('postgres', 'killed', postgresAwaySeconds)]),
    inTurn([killOf(havoc, 'projector')]),
  ]);
}

const killOf =
  (havoc: Havoc, service: keyof typeof pointsOf): (() => Promise<void>) =>
  async () => {
    const points: readonly CrashPointName[] = pointsOf[service];
    const point = points[Math.floor(havoc.random() * points.length)] as CrashPointName;
    await havoc.killAlong(service, havoc.kills([point], 1, maxTurn));
  };

async function inTurn(works: readonly (() => Promise<void>)[]): Promise<void> {
  for (const work of works) await work();
}

function sumsOf({ violations, text, tally }: Verdict): Pick<Proof, 'lost' | 'secondEvents' | 'violations' | 'text'> {
  const countOf = (kinds: readonly Anomaly[]): number => kinds.reduce((sum, kind) => sum + (tally[kind] ?? 0), 0);
  return {
    lost: countOf(lossAnomalies),
    secondEvents: countOf(secondEventAnomalies),
    violations: violations.map(({ anomaly, says }) => `${anomaly}: ${says}`),
    text,
  };
}
