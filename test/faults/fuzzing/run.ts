/** The services as processes, and what is sent to them that nobody should send. */
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { startReceiver } from '../../support/receiver.ts';
import { seedOf } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type MemorySamples, watchMemory } from '../overload/memory.ts';
import type { RunSettings } from '../support/fault-run.ts';
import { openLogs } from '../support/process-logs.ts';
import { describeFindings, type Finding } from './findings.ts';
import { fuzzHttp, type HttpResult } from './http/fuzz-http.ts';
import { tenant } from './http/sound-requests.ts';
import { openTables, type Tables } from './tables.ts';
import { fuzzTopics, type TopicsResult } from './topics/fuzz-topics.ts';

export const scenarios = [{ name: 'http' }, { name: 'topics' }] as const;
type ScenarioName = (typeof scenarios)[number]['name'];

export interface FuzzingOptions extends RunSettings {
  scenarios: readonly { name: string }[];
  /** For each route. */
  requests: number;
  /** Records of each kind, on each topic. */
  records: number;
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

export async function runFuzzing(options: FuzzingOptions): Promise<FuzzingResult> {
  const { dir, say, seed, databaseUrl } = options;
  const logs = openLogs(dir);
  const unprojected = new Set<string>();
  const joins = new Map<string, number>();
  const pipeline = await createPipeline({
    ...options,
    onLine(name, line) {
      logs.write(name, line);
      if (line.includes('consumer.joined')) {
        const { group } = JSON.parse(line) as { group: string };
        joins.set(group, (joins.get(group) ?? 0) + 1);
      }
      if (!line.includes('letter.not_projected')) return;
      const { topic, partition, offset } = JSON.parse(line) as Record<string, unknown>;
      unprojected.add(`${String(topic)}-${String(partition)}-${String(offset)}`);
    },
  });
  const receiver = await startReceiver();
  let tables: Tables | undefined;
  const result: FuzzingResult = { results: [], memory: {} };
  try {
    await pipeline.start();
    tables = await openTables(databaseUrl);
    const hasRejoined = (group: string): boolean => (joins.get(group) ?? 0) > 1;
    const begun = { ...options, pipeline, receiver, tables, unprojected, hasRejoined };
    const pids = pipeline.processIds();
    const memory = watchMemory(pids);
    const judge = async (scenario: ScenarioName, run: (seed: number) => Promise<Finding[]>): Promise<void> => {
      if (!options.scenarios.some(({ name }) => name === scenario)) return;
      const startMs = performance.now();
      const found = await run(seedOf(seed, scenario));
      found.push(...(await notAlive(pipeline, pids)));
      const seconds = Math.round((performance.now() - startMs) / 100) / 10;
      result.results.push({ scenario, seconds, violations: describeFindings(found) });
      say(`${scenario}: ${found.length} findings in ${seconds} s`);
    };
    await judge('http', async (scenarioSeed) => {
      await createDeliveries(pipeline, receiver.url('fuzzed'));
      result.http = await fuzzHttp({ ...begun, seed: scenarioSeed, receiverUrl: receiver.url('fuzzed') });
      return [...result.http.findings, ...(await lostOf(begun.tables, result.http.receipts))];
    });
    await judge('topics', async (scenarioSeed) => {
      result.topics = await fuzzTopics({ ...begun, seed: scenarioSeed });
      return result.topics.findings;
    });
    result.memory = memory.stop();
    const grown = grownBeyond(result.memory);
    if (grown.length > 0) result.results.at(-1)?.violations.push(...describeFindings(grown));
    return result;
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await Promise.allSettled([pipeline.stop(), receiver.stop(), tables?.close()]);
    logs.close();
  }
}

/** So that there are deliveries and dead letters to ask for: an endpoint that takes what is published, and one that refuses it once. */
async function createDeliveries({ stack }: Pipeline, receiverUrl: string): Promise<void> {
  const answer = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${stack.apiUrl}/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.adminKey}`,
        'hookline-tenant': tenant,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`${path} → ${response.status} ${await response.text()}`);
  };
  await answer('/endpoints', { url: receiverUrl, event_types: ['fuzzed.*'] });
  // Nobody listens there.
  await answer('/endpoints', { url: 'http://127.0.0.1:9/', event_types: ['fuzzed.*'], retry: { max_attempts: 1 } });
}

/** Processes that ended, were started again, or say of themselves that they can't go on. */
async function notAlive(pipeline: Pipeline, pids: Readonly<Record<string, number>>): Promise<Finding[]> {
  const now = pipeline.processIds();
  const checks = await Promise.all(
    Object.entries(pids).map(async ([name, pid]): Promise<Finding[]> => {
      const died = (says: string): Finding[] => [{ finding: 'process-died', says: `${name} ${says}` }];
      if (now[name] !== pid) return died('has ended');
      const url = pipeline.metricsUrl(name as Parameters<Pipeline['metricsUrl']>[0]).replace('/metrics', '/readyz');
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(
        (error: unknown) => error as Error,
      );
      if (answer instanceof Error) return died(`does not answer /readyz: ${answer.message}`);
      return answer.status === 200 ? [] : died(`answers /readyz with ${answer.status}`);
    }),
  );
  return checks.flat();
}

/** Each receipt leads to an event, its own or the one that it is a duplicate of, or its record died. */
async function lostOf(tables: Tables, receipts: readonly string[]): Promise<Finding[]> {
  const missing = async (): Promise<string[]> => {
    const found = await tables.query<{ id: string }>(
      `SELECT receipt_id AS id FROM receipts WHERE receipt_id = ANY ($1)
        UNION SELECT asked FROM unnest($1::text[]) AS asked JOIN dead_letters ON position(
          encode(convert_to(asked, 'UTF8'), 'base64') IN convert_from(headers, 'UTF8')) > 0`,
      [receipts],
    );
    const known = new Set(found.map(({ id }) => id));
    return receipts.filter((id) => !known.has(id));
  };
  await waitUntil('every receipt leads somewhere', async () => (await missing()).length === 0, {
    timeoutMs: endTimeoutMs,
    everyMs: 500,
  }).catch(() => undefined);
  return (await missing()).map((id) => ({ finding: 'accepted-but-lost', says: id }));
}

const grownBeyond = (memory: MemorySamples): Finding[] =>
  Object.entries(memory).flatMap(([name, samples]) => {
    const most = Math.max(0, ...samples);
    return most <= mostMemoryMib ? [] : [{ finding: 'memory-grew' as const, says: `${name}: ${most.toFixed()} MiB` }];
  });
