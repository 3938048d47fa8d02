/** One run: the services as processes, the scenarios one after the other, each judged when all that it began has ended. */
import { groupOf } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { numbersFrom } from '../../support/sender.ts';
import { seededRandom, seedOf } from '../../support/seeded-random.ts';
import { createTopicFollower, type TopicFollower } from '../../support/topic-follower.ts';
import type { Fault, Send } from '../checker/history.ts';
import { deathsIn } from '../support/deaths.ts';
import { allTogether, type RunSettings } from '../support/fault-run.ts';
import { createGroupWatch, type GroupWatch } from '../support/group-watch.ts';
import { createHavoc } from '../support/havoc.ts';
import { openLogs } from '../support/process-logs.ts';
import type { FaultyServers } from '../support/servers.ts';
import { judge, receiptsThatLeadAstray } from './judge.ts';
import { countsOf, describeResult, type ScenarioResult } from './result.ts';
import { dedups, type Scenario } from './scenarios.ts';
import { createLoad } from './send-load.ts';
import { watchTries } from './watch-tries.ts';
import { planSends } from './webhooks.ts';

export interface RunOptions extends RunSettings {
  faulty: FaultyServers;
  scenarios: readonly Scenario[];
  /** Over all of them. */
  webhooks: number;
  turns: number;
  awayScale: number;
}

export interface RunResult {
  results: ScenarioResult[];
  faults: readonly Fault[];
}

const repeatedShare = 0.2;
const partitions = 3;

export async function runScenarios(options: RunOptions): Promise<RunResult> {
  const { scenarios, dir, say } = options;
  const groupWatch = createGroupWatch(groupOf(options.topicPrefix, 'dedup'), partitions);
  const tries = watchTries();
  const logs = openLogs(dir);
  const pipeline = await createPipeline({
    ...options,
    services: ['ingress', ...dedups, 'projector', 'api'],
    env: { HOOKLINE_TOPIC_PARTITIONS: String(partitions) },
    onLine(name, line) {
      logs.write(name, line);
      groupWatch.onLine(name, line);
      tries.onLine(name, line);
    },
  });
  const follower = createTopicFollower(pipeline.stack, { onLine: (line) => logs.write('checker', line) });
  let offsets: KafkaOffsets | undefined;
  const faults: Fault[] = [];
  const results: ScenarioResult[] = [];
  const sends: Send[] = [];
  const startedAt = nowText();
  try {
    await pipeline.start();
    await follower.start();
    offsets = await connectKafkaOffsets(pipeline.stack.kafkaBrokers);
    const shares = scenarios.reduce((sum, { share }) => sum + share, 0);
    const world: World = { ...options, pipeline, follower, offsets, faults, sends, groupWatch, tries };
    for (const scenario of scenarios) {
      const count = Math.round((options.webhooks * scenario.share) / shares);
      const result = await runOne(world, scenario, count);
      results.push(result);
      say(`  ${describeResult(result)}`);
    }
    if (scenarios.length > 1) results.push(await validateAll(world, results, startedAt));
    pipeline.assertNoSurprise();
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await Promise.allSettled([pipeline.stop(), follower.stop(), offsets?.close()]);
    logs.close();
  }
  return { results, faults: [...pipeline.faults, ...faults] };
}

interface World extends RunOptions {
  pipeline: Pipeline;
  follower: TopicFollower;
  offsets: KafkaOffsets;
  /** Faults of servers. */
  faults: Fault[];
  /** Sends of all scenarios so far. */
  sends: Send[];
  groupWatch: GroupWatch;
  tries: ReturnType<typeof watchTries>;
}

async function runOne(world: World, scenario: Scenario, count: number): Promise<ScenarioResult> {
  const { pipeline, faulty, faults, sends, groupWatch, tries, turns, awayScale, say } = world;
  const { name } = scenario;
  // The scenario's own seed: the same alone as among others.
  const seed = seedOf(world.seed, name);
  const random = seededRandom(seed);
  say(`${name}: ${count} webhooks; ${scenario.says}`);
  const startMs = performance.now();
  const startedAt = nowText();
  const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
  const load = await createLoad({
    api,
    scenario: name,
    seed,
    random: seededRandom(seed + 1),
    nextNumber: numbersFrom(sends.length),
  });
  const killsBefore = deathsIn(pipeline.faults);
  try {
    const havoc = createHavoc({
      pipeline,
      servers: faulty,
      groupWatch,
      peers: dedups,
      random,
      turns,
      awayScale,
      faults,
      say: (line) => say(`  ${seconds(startMs).padStart(5)} s  ${line}`),
    });
    const planned = planSends(count, repeatedShare, random);
    const inflicted = scenario.inflict(havoc);
    await Promise.all([inflicted, load.send(planned, scenario.seconds(turns) * 1000, inflicted)]);
    pipeline.assertNoSurprise();
    const sentMs = performance.now();
    // One by one: as arguments they would be too many.
    for (const send of load.log) sends.push(send);
    const verdict = await judge(
      {
        sourceIds: load.sourceIds,
        sends: load.log,
        faults: [...pipeline.faults, ...faults],
        follower: world.follower,
        api,
        databaseUrl: pipeline.stack.databaseUrl,
        startedAt,
      },
      { offsets: world.offsets, topicPrefix: pipeline.stack.topicPrefix },
    );
    const drainSeconds = seconds(sentMs);
    const violations = [
      ...(verdict.violations.length > 0 ? [verdict.text] : []),
      ...(await receiptsThatLeadAstray(api, load.log, random)),
      ...tries.takeSpent(),
      ...(scenario.expects?.(load.log) ?? []),
    ];
    return {
      scenario: name,
      webhooks: count,
      ...countsOf(load.log, verdict),
      kills: deathsIn(pipeline.faults) - killsBefore,
      seconds: Number(seconds(startMs)),
      drainSeconds: Number(drainSeconds),
      violations,
    };
  } finally {
    load.close();
  }
}

/** Everything once more, all scenarios together: what one of them did may have hit another one's webhooks. */
async function validateAll(
  world: World,
  results: readonly ScenarioResult[],
  startedAt: string,
): Promise<ScenarioResult> {
  const { pipeline, sends, faults } = world;
  const startMs = performance.now();
  const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
  const verdict = await judge(
    {
      sourceIds: 'all',
      sends,
      faults: [...pipeline.faults, ...faults],
      follower: world.follower,
      api,
      databaseUrl: pipeline.stack.databaseUrl,
      startedAt,
    },
    { offsets: world.offsets, topicPrefix: pipeline.stack.topicPrefix },
  );
  const sum = (key: 'webhooks' | 'seconds'): number => results.reduce((total, each) => total + each[key], 0);
  return {
    scenario: allTogether,
    webhooks: sum('webhooks'),
    ...countsOf(sends, verdict),
    kills: deathsIn(pipeline.faults),
    seconds: Math.round(sum('seconds')),
    drainSeconds: Number(seconds(startMs)),
    violations: verdict.violations.length > 0 ? [verdict.text] : [],
  };
}

const nowText = (): string => formatMicros(Date.now() * 1000);

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
