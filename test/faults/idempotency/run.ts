/** One run: two processes of the API, one scenario after the other; then every key is used once more, and everything is checked. */
import type { Postgres } from '#lib/postgres';
import { createLimit } from '../../support/limit.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { seededRandom, seedOf } from '../../support/seeded-random.ts';
import { pipelineServices } from '../../support/stack.ts';
import { createTopicFollower, type TopicFollower } from '../../support/topic-follower.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Fault } from '../checker/history.ts';
import { deathsIn } from '../support/deaths.ts';
import { allTogether, type RunSettings } from '../support/fault-run.ts';
import { createGroupWatch } from '../support/group-watch.ts';
import { createHavoc } from '../support/havoc.ts';
import { openLogs } from '../support/process-logs.ts';
import type { FaultyServers } from '../support/servers.ts';
import { spreadOut } from '../support/spread-out.ts';
import { type ApiLog, createApiLog } from './api-log.ts';
import { type Client, createClient, type How } from './client.ts';
import { createDatabaseHavoc } from './database-havoc.ts';
import { describeFindings, type Finding } from './findings.ts';
import { apis, type History, type Intent } from './history.ts';
import { planIntents, planRounds } from './intents.ts';
import { judge, partOf } from './judge.ts';
import { type ScenarioResult, totalsOf } from './result.ts';
import { lockSeconds, type Scenario } from './scenarios.ts';
import { openTables, readRows, unpublished } from './tables.ts';

export interface RunOptions extends RunSettings {
  faulty: Partial<FaultyServers> & Pick<FaultyServers, 'redis'>;
  scenarios: readonly Scenario[];
  /** Over all of them. */
  keys: number;
  turns: number;
  awayScale: number;
}

export interface RunResult {
  results: ScenarioResult[];
  faults: readonly Fault[];
}

/** Rounds of requests that are under way. */
const atOnce = 48;
/** Longer than a claim that its owner has died with. */
const drainTimeoutMs = 90_000;
/** One key in so many. */
const alteredEach = 10;

export async function runScenarios(options: RunOptions): Promise<RunResult> {
  const { scenarios, seed, dir, say } = options;
  const log = createApiLog();
  const logs = openLogs(dir);
  const pipeline = await createPipeline({
    ...options,
    // In one process the first api shares it with all the others.
    services: options.processes === 'one' ? [...new Set([...apis, ...pipelineServices])] : apis,
    env: { HOOKLINE_IDEMPOTENCY_LOCK_SECONDS: String(lockSeconds) },
    onLine(name, line) {
      logs.write(name, line);
      log.onLine(name, line);
    },
  });
  const { adminKey } = pipeline.stack;
  const client = createClient({ urlOf: pipeline.apiUrl, adminKey, random: seededRandom(seed) });
  const follower = createTopicFollower(pipeline.stack, { onLine: (line) => logs.write('checker', line) });
  let postgres: Postgres | undefined;
  const faults: Fault[] = [];
  try {
    await pipeline.start();
    await follower.start();
    postgres = await openTables(pipeline.stack.databaseUrl);
    const world: World = { ...options, pipeline, client, follower, postgres, faults, log, intents: [] };
    const shares = scenarios.reduce((sum, { share }) => sum + share, 0);
    const counts = new Map<string, Counts>();
    for (const scenario of scenarios)
      counts.set(scenario.name, await runOne(world, scenario, Math.round((options.keys * scenario.share) / shares)));
    const results = await settleAndJudge(world, counts);
    pipeline.assertNoSurprise();
    return { results, faults: [...pipeline.faults, ...faults] };
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    client.close();
    await Promise.allSettled([pipeline.stop(), follower.stop(), postgres?.stop()]);
    logs.close();
  }
}

interface World extends RunOptions {
  pipeline: Pipeline;
  client: Client;
  follower: TopicFollower;
  postgres: Postgres;
  /** Faults of servers and connections; the pipeline keeps those of processes. */
  faults: Fault[];
  log: ApiLog;
  /** The intents of all scenarios so far. */
  intents: Intent[];
}

/** The counts that grow while a scenario runs. */
type Counts = Pick<ScenarioResult, 'kills' | 'leasesLost' | 'commitsUnknown' | 'seconds'>;

async function runOne(world: World, scenario: Scenario, count: number): Promise<Counts> {
  const { pipeline, client, faults, turns, say } = world;
  const { name } = scenario;
  const random = seededRandom(seedOf(world.seed, name));
  const startMs = performance.now();
  say(`${name}: ${count} keys; ${scenario.says}`);
  const countsBefore = countsOf(world);
  const intents = planIntents({ scenario: name, count, from: world.intents.length, random });
  world.intents.push(...intents);
  const own = intents.filter(({ status }) => status === 201).slice(0, scenario.ownEndpoints?.(turns) ?? 0);
  const rounds = planRounds(
    intents.filter((intent) => !own.includes(intent)),
    random,
  );
  const askAtBoth = async (keys: number): Promise<void> => {
    await Promise.all(apis.map((firstAt) => askAll(client, own.splice(0, keys), { firstAt })));
  };
  const common = {
    pipeline,
    random,
    faults,
    say: (line: string) => say(`  ${seconds(startMs).padStart(5)} s  ${line}`),
  };
  const inflicted = scenario.inflict({
    ...createHavoc({ ...world, ...common, servers: world.faulty, groupWatch: createGroupWatch('', 0), peers: [] }),
    ...createDatabaseHavoc({ ...common, postgres: world.postgres, askAtBoth }),
  });
  const expectedMs = scenario.seconds(turns) * 1_000;
  await Promise.all([
    inflicted,
    spreadOut(rounds, { expectedMs, faultsOver: inflicted, atOnce }, async ({ intents: together, requests }) => {
      const asked = Array.from({ length: requests }, () => together).flat();
      await Promise.all(asked.map((intent) => client.askUntilSettled(intent)));
    }),
  ]);
  pipeline.assertNoSurprise();
  const counts = countsOf(world);
  return {
    kills: counts.kills - countsBefore.kills,
    leasesLost: counts.leasesLost - countsBefore.leasesLost,
    commitsUnknown: counts.commitsUnknown - countsBefore.commitsUnknown,
    seconds: Number(seconds(startMs)),
  };
}

async function askAll(client: Client, intents: readonly Intent[], how: How = {}): Promise<void> {
  const limit = createLimit(atOnce);
  await Promise.all(intents.map((intent) => limit(() => client.askUntilSettled(intent, how))));
}

const countsOf = ({ pipeline, log }: World): Omit<Counts, 'seconds'> => ({
  kills: deathsIn(pipeline.faults),
  leasesLost: log.count('idempotency.lease_lost'),
  commitsUnknown: log.count('idempotency.commit_unknown'),
});

/** Uses every key once more, with Postgres alone, and some of them with a different request; then computes the results. */
async function settleAndJudge(world: World, counts: ReadonlyMap<string, Counts>): Promise<ScenarioResult[]> {
  const { faulty, client, postgres, pipeline, follower, intents, scenarios, log, say } = world;
  const startMs = performance.now();
  await faulty.redis.forget();
  await askAll(client, intents);
  const altered = intents.filter(({ number }) => number % alteredEach === 0);
  await askAll(client, altered, { altered: true });
  // Events that are left then become findings.
  await waitUntil('the outbox is empty', async () => (await unpublished(postgres)) === 0, {
    timeoutMs: drainTimeoutMs,
    everyMs: 250,
  }).catch((error: unknown) => say(String(error)));
  const history: History = {
    intents,
    calls: client.log,
    rows: await readRows(postgres),
    published: (await follower.contents()).events,
    faults: [...pipeline.faults, ...world.faults],
  };
  const found: Finding[] = [
    ...judge(history),
    ...log.errors.map((says): Finding => ({ finding: 'logged-as-error', says })),
  ];
  const scenarioOf = ({ intent }: Finding): string | undefined =>
    intents.find(({ number }) => number === intent)?.scenario;
  const results = scenarios.map(({ name, expects }): ScenarioResult => {
    const part = partOf(history, name);
    const totals = totalsOf(part);
    const own = found.filter((each) => scenarioOf(each) === name);
    const violations = [...describeFindings(own, history), ...(expects?.(totals) ?? [])];
    return { scenario: name, ...totals, ...(counts.get(name) as Counts), violations };
  });
  const ofNone = found.filter((each) => scenarioOf(each) === undefined);
  return [
    ...results,
    {
      scenario: allTogether,
      ...totalsOf(history),
      ...countsOf(world),
      seconds: Number(seconds(startMs)),
      violations: describeFindings(ofNone, history),
    },
  ];
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
