/** One run: the services as processes, two of them dispatchers; the scenarios one after the other, each judged when all of it has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, groupOf, topicsOf } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createSender } from '../../support/sender.ts';
import { createTopicFollower, type TopicFollower } from '../../support/topic-follower.ts';
import type { Fault } from '../checker/history.ts';
import type { Witnesses } from '../checker/load-history.ts';
import { deathsIn } from '../support/deaths.ts';
import type { RunSettings } from '../support/fault-run.ts';
import { createGroupWatch, type GroupWatch } from '../support/group-watch.ts';
import { createHavoc } from '../support/havoc.ts';
import { openLogs } from '../support/process-logs.ts';
import { type ProjectionWatch, watchProjection } from '../support/projection-watch.ts';
import { smallSets } from '../support/small-sets.ts';
import { type DispatcherFollower, followDispatchers } from './follow-dispatchers.ts';
import { castOf } from './ends.ts';
import { type Evidence, hasDrained, judge } from './judge.ts';
import { sendAll } from './load.ts';
import { createOperator } from './operator.ts';
import type { ScenarioResult } from './result.ts';
import { createReactions, namesOf, type Role } from './roles.ts';
import { dispatchers, type Scenario, visitor } from './scenarios.ts';
import { openTables, type Tables } from './tables.ts';
import { type Payload, planPayloads } from './webhooks.ts';

export interface RunOptions extends RunSettings {
  scenarios: readonly Scenario[];
  /** Deliveries of each scenario, times its share. */
  deliveries: number;
  turns: number;
}

export interface RunResult {
  results: ScenarioResult[];
  faults: readonly Fault[];
}

const partitions = 6;
const settlingMarginMs = 1_000;
/** Longer than the wait of a failing endpoint for its next probe, and of a dispatcher for its next check for overdue deliveries. */
const stalledMs = 150_000;

export async function runScenarios(options: RunOptions): Promise<RunResult> {
  const { dir, topicPrefix, say } = options;
  const group = groupOf(topicPrefix, 'dispatcher');
  const groupWatch = createGroupWatch(group, partitions);
  const dispatcherFollower = followDispatchers(group);
  const logs = openLogs(dir);
  const pipeline = await createPipeline({
    ...options,
    services: ['ingress', 'dedup', ...dispatchers, visitor, 'projector', 'api'],
    env: { HOOKLINE_TOPIC_PARTITIONS: String(partitions), ...smallSets },
    onLine(name, line) {
      logs.write(name, line);
      groupWatch.onLine(name, line);
      dispatcherFollower.onLine(name, line);
    },
  });
  const follower = createTopicFollower(pipeline.stack, { onLine: (line) => logs.write('checker', line) });
  const faults: Fault[] = [];
  const results: ScenarioResult[] = [];
  let offsets: KafkaOffsets | undefined;
  let tables: Tables | undefined;
  let projection: ProjectionWatch | undefined;
  try {
    await pipeline.start();
    await pipeline.stopService(visitor);
    await follower.start();
    offsets = await connectKafkaOffsets(pipeline.stack.kafkaBrokers);
    tables = await openTables(pipeline.stack.databaseUrl);
    projection = watchProjection(offsets, {
      group: groupOf(topicPrefix, 'projector'),
      topic: topicsOf(topicPrefix)['delivery.attempts'],
    });
    const asked = { offsets, tables, projection };
    const world: World = { ...options, ...asked, pipeline, follower, faults, groupWatch, dispatcherFollower };
    for (const scenario of options.scenarios) results.push(await runOne(world, scenario));
    pipeline.assertNoSurprise();
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await projection?.stop();
    await Promise.allSettled([pipeline.stop(), follower.stop(), offsets?.close(), tables?.close()]);
    logs.close();
  }
  return { results, faults: [...pipeline.faults, ...faults] };
}

interface World extends RunOptions {
  pipeline: Pipeline;
  follower: TopicFollower;
  offsets: KafkaOffsets;
  tables: Tables;
  projection: ProjectionWatch;
  /** Other than deaths and sleeps of processes. */
  faults: Fault[];
  groupWatch: GroupWatch;
  dispatcherFollower: DispatcherFollower;
}

async function runOne(world: World, scenario: Scenario): Promise<ScenarioResult> {
  const { pipeline, groupWatch, faults, turns, say } = world;
  const { name, says, roles, replays } = scenario;
  const { stack } = pipeline;
  const random = seededRandom(world.seed);
  const startMs = performance.now();
  const startedAt = formatMicros(Date.now() * 1000);
  const before = { kills: pipeline.faults.length, joins: groupWatch.joins() };
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const receiver = await startReceiver();
  const source = await api.createSource({ name, scheme: 'hookline', ...scenario.source });
  const cast = castOf(roles, await createEndpoints(api, receiver, roles, source.id));
  const sender = createSender({ ingestUrl: source.ingest_url, sourceId: source.id, random });
  const payloads = planAll(world, scenario, cast.size, random);
  receiver.react(createReactions(roles, payloads.length, random));
  say(`${name}: ${payloads.length} events to ${cast.size} endpoints; ${says}`);
  await delay(endpointSettlingMs + settlingMarginMs);
  try {
    const havoc = createHavoc({
      pipeline,
      servers: {},
      groupWatch,
      peers: dispatchers,
      random,
      turns,
      awayScale: 1,
      faults,
      say: (line) => say(`  ${seconds(startMs).padStart(5)} s  ${line}`),
    });
    const replayed = [...cast].filter(([, { role }]) => replays.includes(role.name)).map(([id]) => id);
    const operator = createOperator(stack, replayed);
    const evidence: Evidence = {
      ...world,
      scenario,
      witnesses: witnessesOf(world, { sourceId: source.id, sender, receiver, cast, startedAt }),
      sourceId: source.id,
      cast,
      payloads: new Map(payloads.map((payload) => [payload.id, payload])),
    };
    let sentMs = performance.now();
    let allEnded = true;
    for (const act of scenario.acts) {
      const inflicted = act.inflict(havoc);
      await Promise.all([
        inflicted,
        replayed.length > 0 ? operator.replayUntil(inflicted) : undefined,
        sendAll(
          payloads.filter((payload) => payload.act === act.name),
          { sender, secret: source.secret, expectedMs: act.seconds(turns) * 1000, faultsOver: inflicted },
        ),
      ]);
      pipeline.assertNoSurprise();
      sentMs = performance.now();
      allEnded = await untilDrained(evidence);
    }
    // A delivery that dies again is replayed again.
    while (allEnded && replayed.length > 0 && (await operator.replayAll()) > 0) allEnded = await untilDrained(evidence);
    const drainSeconds = Number(seconds(sentMs));
    const judged = await judge({
      ...evidence,
      witnesses: { ...evidence.witnesses, faults: [...pipeline.faults, ...faults] },
    });
    const result: ScenarioResult = {
      scenario: name,
      ...judged,
      kills: deathsIn(pipeline.faults.slice(before.kills)),
      rebalances: Math.round((groupWatch.joins() - before.joins) / dispatchers.length),
      seconds: Number(seconds(startMs)),
      drainSeconds,
    };
    say(
      `  ${result.deliveries} deliveries ended, ${Object.values(result.repeats).reduce((sum, each) => sum + each, 0)} repeats with a cause, ${result.repeatsElsewhere} without; ${
        result.violations.length === 0 ? 'no violation' : 'VIOLATIONS'
      }`,
    );
    return result;
  } finally {
    sender.close();
    await receiver.stop();
  }
}

async function createEndpoints(
  api: ReturnType<typeof createApiClient>,
  receiver: Receiver,
  roles: readonly Role[],
  sourceId: string,
): Promise<[name: string, id: string][]> {
  const names = roles.flatMap((role) => namesOf(role).map((name) => ({ name, settings: role.settings })));
  return Promise.all(
    names.map(async ({ name, settings }) => {
      const endpoint = await api.createEndpoint({ url: receiver.url(name), source_ids: [sourceId], ...settings });
      receiver.register(name, endpoint);
      return [name, endpoint.id] as [string, string];
    }),
  );
}

function planAll(world: World, scenario: Scenario, endpoints: number, random: () => number): Payload[] {
  const events = Math.round((world.deliveries * scenario.share) / endpoints);
  const payloads: Payload[] = [];
  for (const act of scenario.acts) {
    const plan = { scenario: scenario.name, act: act.name, keys: scenario.keys, refusals: act.refusals, random };
    payloads.push(...planPayloads({ ...plan, count: Math.round(events * act.share), from: payloads.length }));
  }
  return payloads;
}

interface Seen {
  sourceId: string;
  sender: ReturnType<typeof createSender>;
  receiver: Receiver;
  cast: Evidence['cast'];
  startedAt: string;
}

const witnessesOf = (
  { pipeline: { stack }, follower }: World,
  { sourceId, sender, receiver, cast, startedAt }: Seen,
): Witnesses => ({
  sourceIds: new Set([sourceId]),
  sends: sender.log,
  arrivals: receiver.arrivals,
  observedEndpoints: new Set(cast.keys()),
  faults: [],
  follower,
  api: createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey }),
  databaseUrl: stack.databaseUrl,
  startedAt,
});

/** False where nothing has moved for so long that nothing will: what has not ended then is shown by its path. */
async function untilDrained(evidence: Evidence): Promise<boolean> {
  const { tables, sourceId, cast } = evidence;
  let seen = '';
  let movedAtMs = performance.now();
  while (!(await hasDrained(evidence))) {
    if (performance.now() - movedAtMs >= stalledMs) return false;
    const now = JSON.stringify([await tables.events([sourceId]), await tables.waiting([...cast.keys()])]);
    if (now !== seen) movedAtMs = performance.now();
    seen = now;
    await delay(1_000);
  }
  return true;
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
