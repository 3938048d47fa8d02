/**
 * One run over the whole system: senders, publishers, pollers and receivers of all kinds, while everything on the way dies, sleeps or is
 * cut off.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, groupOf, publishedSourceId } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../../support/pipeline.ts';
import { watchLoop } from '../../support/loop-delay.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { numbersFrom } from '../../support/sender.ts';
import { seededRandom, seedOf } from '../../support/seeded-random.ts';
import { createTopicFollower, type TopicFollower } from '../../support/topic-follower.ts';
import type { Fault } from '../checker/history.ts';
import { loadHistory } from '../checker/load-history.ts';
import { type DispatcherFollower, followDispatchers } from '../delivering/follow-dispatchers.ts';
import { createReactions } from '../delivering/roles.ts';
import { openTables, type Tables } from '../delivering/tables.ts';
import { createClient } from '../idempotency/client.ts';
import { createLoad } from '../receiving/send-load.ts';
import { createGroupWatch } from '../support/group-watch.ts';
import { openLogs } from '../support/process-logs.ts';
import { smallSets } from '../support/small-sets.ts';
import { watchAbsences } from './absences.ts';
import { type BystandersWebhook, createBystanders } from './bystanders.ts';
import { type ChangeLog, startChangeLog } from './change-log.ts';
import { untilDrained } from './drained.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { createEndpoints, refusingStale, systemRoles } from './endpoints.ts';
import type { FaultKind } from './fault-kind.ts';
import { greatestStepMs } from './faults/clocks.ts';
import { receiverLinks } from './faults/links.ts';
import { processNames, visitors } from './faults/processes.ts';
import { deathOf, inflictIn, leftOutOf } from './inflict.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { type Pollers, startPollers } from './pollers.ts';
import { publishesOf } from './publishes.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';
import { inflictAll } from './schedule.ts';
import { keepSeen, type Seen } from './seen.ts';
import { type SystemServers, sideOf } from './servers.ts';
import { areCommon, rareShare, repeatedShare, startTraffic } from './traffic.ts';

export interface RunOptions extends Pick<PipelineOptions, 'processes' | 'sessionTimeoutMs'> {
  servers: SystemServers;
  kinds: readonly FaultKind[];
  webhooks: number;
  /** The duration of the faults and of sending; each fault comes at least once. */
  minutes: number;
  /** No fault comes twice. */
  isOneRound?: boolean;
  seed: number;
  /** Between two faults that come one after the other, at the most. */
  calmMs: number;
  /** The processes' logs go there. */
  dir: string;
  say(line: string): void;
}

const topicPrefix = 'faults.';
const partitions = 6;
const settlingMarginMs = 1_000;
/** Patience with a system that is never wholly well for minutes. */
const publisherPatienceMs = 300_000;
/** Events whose deliveries are read from the API, besides its lists. */
const eventsAskedFor = 500;

/** @returns what was seen; it is kept in `dir`, too. */
export async function runSystem(options: RunOptions): Promise<Seen> {
  const { servers, dir, say } = options;
  const logs = openLogs(dir);
  const groupWatch = createGroupWatch(groupOf(topicPrefix, 'dedup'), partitions);
  const clocks = createClocks(join(dir, 'clocks'));
  const dispatcherFollower = followDispatchers(groupOf(topicPrefix, 'dispatcher'), clocks);
  const pipeline = await createPipeline({
    servers: servers.addresses,
    topicPrefix,
    databaseUrl: servers.addresses.databaseUrl,
    services: processNames,
    visitors,
    isSupervised: true,
    processes: options.processes,
    ...(options.sessionTimeoutMs !== undefined && { sessionTimeoutMs: options.sessionTimeoutMs }),
    env: { HOOKLINE_TOPIC_PARTITIONS: String(partitions), HOOKLINE_TOPIC_REPLICATION: '3', ...smallSets },
    envOf: (name) => ({ ...servers.envOf(sideOf(name)), ...clocks.envOf(name) }),
    onLine(name, line) {
      logs.write(name, line);
      groupWatch.onLine(name, line);
      dispatcherFollower.onLine(name, line);
    },
  });
  const follower = createTopicFollower(pipeline.stack, {
    trueTimeOf: clocks.trueTimeOfAny,
    onLine: (line) => logs.write('checker', line),
  });
  const receiver = await startReceiver();
  const parts: { close(): Promise<unknown> }[] = [{ close: () => follower.stop() }, { close: () => receiver.stop() }];
  const opened = <T extends { close(): Promise<unknown> }>(part: T): T => {
    parts.push(part);
    return part;
  };
  try {
    await pipeline.start();
    await follower.start();
    const { kafkaBrokers, databaseUrl } = pipeline.stack;
    const world: World = {
      ...options,
      pipeline: oneAtATime(pipeline),
      follower,
      receiver,
      groupWatch,
      clocks,
      dispatcherFollower,
      offsets: opened(await connectKafkaOffsets(kafkaBrokers)),
      tables: opened(await openTables(databaseUrl)),
      changeLog: opened(await startChangeLog(databaseUrl)),
    };
    return await runUnderFaults(world);
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await Promise.allSettled([pipeline.stop(), ...parts.map((part) => part.close())]);
    logs.close();
  }
}

interface World extends RunOptions {
  pipeline: Pipeline;
  follower: TopicFollower;
  receiver: Receiver;
  groupWatch: ReturnType<typeof createGroupWatch>;
  clocks: Clocks;
  dispatcherFollower: DispatcherFollower;
  offsets: KafkaOffsets;
  tables: Tables;
  changeLog: ChangeLog;
}

async function runUnderFaults(world: World): Promise<Seen> {
  const { pipeline, servers, receiver, tables, offsets, seed, webhooks, minutes, say } = world;
  const { stack } = pipeline;
  const random = (what: string): (() => number) => seededRandom(seedOf(seed, what));
  const loopDelay = watchLoop();
  const startMs = performance.now();
  const startedAt = formatMicros(Date.now() * 1_000);
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const load = await createLoad({
    api,
    scenario: 'system',
    seed,
    random: random('senders'),
    nextNumber: numbersFrom(0),
    ingressUrls: [pipeline.ingressUrl('ingress'), pipeline.ingressUrl('ingress-2')],
  });
  const sourceIds = [...load.sourceIds, publishedSourceId];
  const { port: receiverPort } = new URL(receiver.url(''));
  const ports = await Promise.all(receiverLinks.map((link) => servers.network.open(link, Number(receiverPort))));
  const endpoints = await createEndpoints({
    api,
    receiver,
    ports,
    sourceIds,
    rareSourceIds: sourceIds.filter((_, kind) => !areCommon(kind)),
    orderedSourceIds: [...load.orderedSourceIds, publishedSourceId],
  });
  const reactions = createReactions(systemRoles, webhooks * (1 - repeatedShare) * rareShare, random('receivers'));
  receiver.react(refusingStale(reactions));
  const client = createClient({
    urlOf: pipeline.apiUrl,
    adminKey: stack.adminKey,
    random: random('publishers'),
    giveUpMs: publisherPatienceMs,
  });
  await delay(endpointSettlingMs + settlingMarginMs);
  const pollers: Pollers = startPollers({
    urls: [pipeline.apiUrl('api'), pipeline.apiUrl('api-2')],
    adminKey: stack.adminKey,
    random: random('pollers'),
  });
  const ended = new AbortController();
  const absences = watchAbsences(new Map(processNames.map((name) => [name, pipeline.metricsUrl(name)])), ended.signal);
  try {
    const faults: Fault[] = [];
    const bystanders: BystandersWebhook[] = [];
    const leftOut = leftOutOf(world.kinds, servers);
    for (const [name, why] of Object.entries(leftOut)) say(`LEFT OUT: ${name}: ${why}`);
    const kinds = world.kinds.filter(({ name }) => leftOut[name] === undefined);
    const faultsOver = inflictAll({
      ...world,
      kinds,
      forMs: world.isOneRound ? 0 : minutes * 60_000,
      inflict: inflictIn({ ...world, bystanders: createBystanders(pipeline, bystanders) }, faults),
      signal: ended.signal,
    });
    const traffic = startTraffic({ load, client, seed, webhooks, expectedMs: minutes * 60_000, faultsOver });
    const [inflicted] = await Promise.all([
      faultsOver,
      traffic.sent,
      replayDeadLetters(stack, endpoints.idsOf('replayed'), faultsOver),
    ]);
    const sentMs = performance.now();
    say(`${seconds(startMs)} s: all is sent and all faults are over`);
    const taken = (): number =>
      new Set(
        load.log.filter(({ outcome }) => outcome === 'ok').map(({ sourceId, identity }) => `${sourceId}/${identity}`),
      ).size + new Set(client.log.filter(({ status }) => status === 202).map(({ intent }) => intent)).size;
    const drained = await untilDrained({
      tables,
      offsets,
      topicPrefix,
      sourceIds,
      endpointIds: [...endpoints.ids.values()],
      taken,
      dueUntilMs: Math.max(0, ...pipeline.faults.filter(({ clock }) => clock).map(({ atMs }) => atMs + greatestStepMs)),
    });
    if (!drained) say('what is left does not end');
    // Before the sums are computed, while nothing waits.
    const late = { run: loopDelay(), links: await servers.network.loopDelay() };
    const drainSeconds = Number(seconds(sentMs));
    const changes = await world.changeLog.changes();
    await pollers.follow(changes.at(-1)?.updatedAt ?? '');
    const seen: Seen = {
      history: await loadHistory({
        sourceIds: new Set(sourceIds),
        sends: load.log,
        publishes: publishesOf(traffic.intents, client.log),
        pollers: pollers.histories,
        changes,
        arrivals: receiver.arrivals,
        observedEndpoints: new Set(endpoints.ids.values()),
        faults: [...pipeline.faults, ...faults, ...pipeline.restarts.map(deathOf)],
        follower: world.follower,
        api,
        databaseUrl: stack.databaseUrl,
        startedAt,
        eventsAskedFor,
      }),
      dispatchers: world.dispatcherFollower.facts(),
      endpointIds: endpoints.ids,
      intents: traffic.intents,
      deadLettersInTable: await tables.deadLetters([...endpoints.ids.values()]),
      inflicted,
      leftOut,
      restarts: pipeline.restarts.length,
      absences: absences(),
      bystanders,
      late,
      seconds: Number(seconds(startMs)),
      drainSeconds,
    };
    keepSeen(world.dir, seen);
    return seen;
  } finally {
    ended.abort();
    load.close();
    client.close();
    await pollers.stop();
  }
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
