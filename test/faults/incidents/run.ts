/** The system as it is run, watched by Prometheus with the rules as they are deployed, while one incident after the other happens to it. */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { startPrometheus } from '../../support/prometheus.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { pipelineServices } from '../../support/stack.ts';
import { createTopicFollower } from '../../support/topic-follower.ts';
import { checkWhenDrained } from '../checker/check-when-drained.ts';
import type { Fault } from '../checker/history.ts';
import { openTables } from '../delivering/tables.ts';
import type { OwnServers } from '../support/servers.ts';
import { untilDrained } from '../system/drained.ts';
import { processesOf } from '../system/faults/processes.ts';
import { type AnswersOfSpan, answersOf, wrongAnswers } from './answers.ts';
import { downEndpoint, everySeconds, type Incident, type IncidentWorld, stretches } from './incidents.ts';
import { type AlertResult, judgeAlerts, type Span } from './judge-alerts.ts';
import { startLoad, type SteadyLoad } from './load.ts';
import { type AlertLog, watchAlerts } from './watch-alerts.ts';

interface Options {
  pipeline: Pipeline;
  servers: OwnServers;
  seed: number;
  /** Webhooks, when nothing is wrong. */
  perSecond: number;
  isWanted(incident: Incident): boolean;
  say(line: string): void;
}

export interface IncidentsResult {
  alerts: AlertResult[];
  answers: AnswersOfSpan[];
  accepted: number;
  events: number;
  deliveries: number;
  violations: string[];
}

const settlingMarginMs = 1_000;
/** Calm time before anything goes wrong: a rate over five minutes needs data. */
const calmBeforeMs = 90_000;
/** Rates over ten minutes fall below what they are held against. */
const calmTimeoutMs = 15 * 60_000;
const drainTimeoutMs = 60_000;
const eventsAskedFor = 500;

export async function runIncidents(options: Options): Promise<{ result: IncidentsResult; faults: readonly Fault[] }> {
  const { pipeline, seed, perSecond } = options;
  const { stack } = pipeline;
  const startedAt = formatMicros(Date.now() * 1_000);
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const receiver = await startReceiver();
  const follower = createTopicFollower(stack);
  const prometheus = await startPrometheus({ targets: targetsOf(pipeline), everySeconds });
  const alertLog = watchAlerts(prometheus);
  const down = new Set<string>();
  receiver.react(({ name }) => (down.has(name) ? 'reset' : { status: 200 }));
  try {
    await follower.start();
    const load = await startLoad({ api, pipeline, random: seededRandom(seed), perSecond });
    const endpointIds = await createEndpoints(api, receiver, load);
    await delay(calmBeforeMs);
    const { spans, faults } = await inflictAll({ ...options, load, down }, alertLog);
    await load.stop();

    const drained = await untilAllEnded(pipeline, load, endpointIds);
    await alertLog.stop();
    const verdict = await checkWhenDrained(
      {
        sourceIds: new Set(Object.values(load.sourceIds)),
        sends: load.sends,
        arrivals: receiver.arrivals,
        observedEndpoints: new Set(endpointIds),
        faults: [...pipeline.faults, ...faults],
        follower,
        api,
        databaseUrl: stack.databaseUrl,
        startedAt,
        eventsAskedFor,
      },
      drainTimeoutMs,
      () => Promise.resolve(true),
    );
    const { ledger } = verdict;
    const { results, violations } = judgeAlerts(spans, alertLog.firings);
    const result: IncidentsResult = {
      alerts: results,
      answers: answersOf(spans, load),
      accepted: load.sends.filter(({ outcome }) => outcome === 'ok').length,
      events: ledger.eventsById.size,
      deliveries: ledger.deliveries.size,
      violations: [
        ...violations,
        ...wrongAnswers(load),
        ...(drained ? [] : ['what is left does not end']),
        ...(verdict.violations.length > 0 ? [verdict.text] : []),
      ],
    };
    return { result, faults: ledger.history.faults };
  } finally {
    await Promise.allSettled([alertLog.stop(), follower.stop()]);
    await Promise.allSettled([prometheus.stop(), receiver.stop()]);
  }
}

const targetsOf = (pipeline: Pipeline): Record<string, string[]> =>
  Object.fromEntries(
    pipelineServices.map((service) => [
      `hookline-${service}`,
      processesOf(service).map((name) => new URL(pipeline.metricsUrl(name)).host),
    ]),
  );

/** One gets everything, the other what the branch sends. */
async function createEndpoints(
  api: ReturnType<typeof createApiClient>,
  receiver: Receiver,
  { sourceIds: { shop, branch, partner } }: SteadyLoad,
): Promise<string[]> {
  const create = async (name: string, source_ids: readonly string[]): Promise<string> => {
    const endpoint = await api.createEndpoint({ url: receiver.url(name), source_ids });
    receiver.register(name, endpoint);
    return endpoint.id;
  };
  const ids = await Promise.all([create('well', [shop, branch, partner]), create(downEndpoint, [branch])]);
  await delay(endpointSettlingMs + settlingMarginMs);
  return ids;
}

async function inflictAll(
  world: IncidentWorld & Pick<Options, 'isWanted' | 'say'>,
  alertLog: AlertLog,
): Promise<{ spans: Span[]; faults: Fault[] }> {
  const spans: Span[] = [];
  const faults: Fault[] = [];
  const inflict = async (incident: Incident): Promise<void> => {
    const beganAtMs = Date.now();
    const fault: Fault = { what: incident.name, atMs: beganAtMs, settledAtMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    await incident.inflict(world);
    const overAtMs = Date.now();
    world.say(`${incident.name}: over after ${seconds(overAtMs - beganAtMs)} s`);
    await untilCalm(incident, alertLog);
    fault.settledAtMs = Date.now();
    spans.push({ incident, beganAtMs, overAtMs, calmAtMs: Date.now() });
    world.say(`${incident.name}: calm after ${seconds(Date.now() - beganAtMs)} s`);
  };
  for (const stretch of stretches) {
    await Promise.all(
      stretch.map(async (track) => {
        for (const incident of track.filter(world.isWanted)) await inflict(incident);
      }),
    );
  }
  return { spans: spans.sort((a, b) => a.beganAtMs - b.beganAtMs), faults };
}

/** Waits until none of its alerts is pending or firing; one that never ends is reported for itself. */
async function untilCalm({ fires, may }: Incident, alertLog: AlertLog): Promise<void> {
  const deadlineMs = performance.now() + calmTimeoutMs;
  // Samples scraped before the end are evaluated first.
  await delay(2 * everySeconds * 1_000);
  while (alertLog.isActive([...Object.keys(fires), ...may]) && performance.now() < deadlineMs) await delay(1_000);
}

async function untilAllEnded({ stack }: Pipeline, load: SteadyLoad, endpointIds: readonly string[]): Promise<boolean> {
  const [offsets, tables] = await Promise.all([connectKafkaOffsets(stack.kafkaBrokers), openTables(stack.databaseUrl)]);
  const taken = new Set(load.sends.filter(({ outcome }) => outcome === 'ok').map(({ identity }) => identity)).size;
  try {
    return await untilDrained({
      tables,
      offsets,
      endpointIds,
      topicPrefix: stack.topicPrefix,
      sourceIds: Object.values(load.sourceIds),
      taken: () => taken,
    });
  } finally {
    await Promise.all([offsets.close(), tables.close()]);
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed();
