/** The services as processes, and what is sent to them that nobody should send. */
import type { Query } from '#lib/postgres';
import { createPipeline, type Pipeline, type ProcessName } from '../../support/pipeline.ts';
import { startReceiver } from '../../support/receiver.ts';
import { seedOf } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { withDatabase } from '../../support/with-database.ts';
import { type MemorySamples, watchMemory } from '../overload/memory.ts';
import type { RunSettings } from '../support/fault-run.ts';
import { openLogs } from '../support/process-logs.ts';
import { connectApi } from './connect-api.ts';
import { describeFindings, type Finding } from './findings.ts';
import { fuzzHttp, type HttpResult } from './http/fuzz-http.ts';
import { tenant } from './http/sound-requests.ts';
import { fuzzTopics, type TopicsResult } from './topics/fuzz-topics.ts';

export const scenarios = [{ name: 'http' }, { name: 'topics' }] as const;
type ScenarioName = (typeof scenarios)[number]['name'];

export interface FuzzingOptions extends RunSettings {
  scenarios: readonly { name: string }[];
  /** For each route. */
  requests: number;
  /** Records of each kind, on each topic. */
  records: number;
  /** The name of a case that an earlier run has told of: it alone is sent. */
  onlyCase?: string | undefined;
  drainTimeoutMs: number;
}

export interface FuzzingResult {
  results: { scenario: ScenarioName; seconds: number; violations: string[] }[];
  http?: HttpResult;
  topics?: TopicsResult;
  memory: MemorySamples;
}

/** The most memory of a service with bodies of a megabyte, six at a time, and batches of records of two. */
const mostMemoryMib = 768;
const endTimeoutMs = 60_000;
const statementTimeoutMs = 30_000;
const notProjected = /"letter\.not_projected".*?"topic":"([^"]+)","partition":(\d+),"offset":"(\d+)"/;

export async function runFuzzing(options: FuzzingOptions): Promise<FuzzingResult> {
  const logs = openLogs(options.dir);
  const unprojected = new Set<string>();
  const joins = new Map<string, number>();
  const pipeline = await createPipeline({
    ...options,
    onLine(name, line) {
      logs.write(name, line);
      // By these texts alone: a line that has a megabyte of a header in it may come in pieces.
      const [, group] = /"consumer\.joined".*?"group":"([^"]+)"/.exec(line) ?? [];
      if (group !== undefined) joins.set(group, (joins.get(group) ?? 0) + 1);
      const [, topic, partition, offset] = notProjected.exec(line) ?? [];
      if (topic !== undefined) unprojected.add(`${topic}-${partition}-${offset}`);
    },
  });
  const receiver = await startReceiver();
  const hasRejoined = (group: string): boolean => (joins.get(group) ?? 0) > 1;
  try {
    await pipeline.start();
    return await withDatabase(
      options.databaseUrl,
      (tables) => fuzz({ ...options, pipeline, receiver, tables, unprojected, hasRejoined }),
      statementTimeoutMs,
    );
  } catch (error) {
    options.say(pipeline.describe());
    throw error;
  } finally {
    await Promise.allSettled([pipeline.stop(), receiver.stop()]);
    logs.close();
  }
}

type Begun = FuzzingOptions & Omit<Parameters<typeof fuzzTopics>[0], 'onlyCase'>;

async function fuzz(begun: Begun): Promise<FuzzingResult> {
  const { pipeline, receiver, tables, seed, onlyCase, say } = begun;
  const result: FuzzingResult = { results: [], memory: {} };
  const pids = pipeline.processIds();
  const memory = watchMemory(pids);
  const receiverUrl = receiver.url('fuzzed');

  async function http(scenarioSeed: number): Promise<Finding[]> {
    // So that there are deliveries that have arrived, that wait for another attempt, and dead letters: nobody listens at this port.
    const [api, closed] = [connectApi(pipeline.stack, tenant), 'http://127.0.0.1:9/'];
    const retries = { [receiverUrl]: {}, [closed]: { schedule: [86_400] }, [`${closed}dead`]: { max_attempts: 1 } };
    for (const [url, retry] of Object.entries(retries))
      await api.call('POST /v1/endpoints', { body: { url, retry, event_types: ['fuzzed.*'] } });
    result.http = await fuzzHttp({ ...begun, onlyCase, receiverUrl, seed: scenarioSeed });
    return [...result.http.findings, ...(await lostOf(tables, result.http.receipts))];
  }
  async function topics(scenarioSeed: number): Promise<Finding[]> {
    result.topics = await fuzzTopics({ ...begun, onlyCase, seed: scenarioSeed });
    return result.topics.findings;
  }

  for (const [scenario, run] of Object.entries({ http, topics }) as [ScenarioName, typeof http][]) {
    if (!begun.scenarios.some(({ name }) => name === scenario)) continue;
    const startMs = performance.now();
    const found = [...(await run(seedOf(seed, scenario))), ...(await notAlive(pipeline, pids))];
    const seconds = Math.round((performance.now() - startMs) / 100) / 10;
    result.results.push({ scenario, seconds, violations: describeFindings(found) });
    say(`${scenario}: ${found.length} findings in ${seconds} s`);
  }
  result.memory = memory.stop();
  result.results.at(-1)?.violations.push(...describeFindings(grownBeyond(result.memory)));
  return result;
}

/** Processes that ended, were started again, or say of themselves that they can't go on. */
async function notAlive(pipeline: Pipeline, pids: Readonly<Record<string, number>>): Promise<Finding[]> {
  const now = pipeline.processIds();
  const states = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => {
      if (now[name] !== pid) return `${name} has ended`;
      const url = new URL('/readyz', pipeline.metricsUrl(name as ProcessName));
      const state = await fetch(url, { signal: AbortSignal.timeout(10_000) }).then(({ status }) => status, String);
      return state === 200 ? undefined : `${name} answers /readyz with ${state}`;
    }),
  );
  return states.flatMap((says) => (says === undefined ? [] : [{ finding: 'process-died', says }]));
}

/** Each receipt leads to an event, its own or the one that it is a duplicate of, or its record died. */
async function lostOf(tables: Query, receipts: readonly string[]): Promise<Finding[]> {
  let missing = receipts;
  const look = async (): Promise<boolean> => {
    const found = await tables.query<{ id: string }>(
      `SELECT receipt_id AS id FROM receipts WHERE receipt_id = ANY ($1)
        UNION SELECT asked FROM unnest($1::text[]) AS asked JOIN dead_letters ON position(
          encode(convert_to(asked, 'UTF8'), 'base64') IN convert_from(headers, 'UTF8')) > 0`,
      [receipts],
    );
    const known = new Set(found.map(({ id }) => id));
    missing = receipts.filter((id) => !known.has(id));
    return missing.length === 0;
  };
  const patience = { timeoutMs: endTimeoutMs, everyMs: 500 };
  await waitUntil('every receipt leads somewhere', look, patience).catch(() => undefined);
  return missing.map((says) => ({ finding: 'accepted-but-lost', says }));
}

const grownBeyond = (memory: MemorySamples): Finding[] =>
  Object.entries(memory).flatMap(([name, samples]) => {
    const most = Math.max(0, ...samples);
    return most <= mostMemoryMib ? [] : [{ finding: 'memory-grew' as const, says: `${name}: ${most.toFixed()} MiB` }];
  });
