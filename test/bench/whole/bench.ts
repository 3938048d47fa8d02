/**
 * One process of each service, from the sender's request to the event's arrival at a healthy endpoint.
 *
 * First it searches the highest rate that leaves no backlog in a minute. At fractions of it, it measures how long an accepted webhook takes
 * to arrive. At the same rate, the dispatcher is then stopped for some minutes: how long does the backlog take? In the end every accepted
 * webhook is one event that has arrived. All latencies are of an open loop. `--per-second 150` measures at that rate only.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hooklineDir } from '#deploy/local/paths.ts';
import { endpointSettlingMs, publishedSourceId } from '#lib/contract';
import { openTables, type Tables } from '../../faults/delivering/tables.ts';
import { senderKinds } from '../../faults/receiving/webhooks.ts';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { pipelineServices } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { percentile } from '../../support/percentiles.ts';
import { measuredEndpoint } from '../traffic/endpoints.ts';
import { findHighestRate } from '../traffic/find-rate.ts';
import { createLoad, type Load } from '../traffic/load.ts';
import { readTables } from '../traffic/read-tables.ts';
import { type Receivers, startReceivers } from '../traffic/receivers.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { lagsOf, webhooksBehind } from '../support/lags.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import { processorSeconds, processorSecondsOfFamily } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';
import { serverPids } from '../support/server-pids.ts';
import { driversEach, readDrivers } from './drivers.ts';
import { latencyPlot, type Rate } from './plots.ts';

type Settings = 'share' | 'per-second' | 'seconds' | 'stop-minutes';

const settlingMarginMs = 1_000;
const restSeconds = 20;
/** The rate if none was searched for. */
const warmUpSeconds = 20;
const otherShares = [0.1, 0.6, 0.9];
/** Commits come a second after the work. */
const commitsMs = 2_000;
const caughtUpTimeoutMs = 1_800_000;

export const wholeBench: Bench<Settings> = {
  name: 'whole',
  says: 'one process of each service, from the request to the arrival',
  numbers: { share: 0.3, 'per-second': 0, seconds: 120, 'stop-minutes': 10 },
  run: onTestServers(async (begun) => {
    const pipeline = await createPipeline({
      servers: serverAddresses(),
      topicPrefix: uniquePrefix('whole'),
      databaseUrl: await createDatabase(),
      env: { HOOKLINE_LOG_LEVEL: 'warn' },
      envOf: (name) => (begun.profile ? profilingInto(profileOf(name)) : {}),
    });
    const load = createLoad();
    const receivers = await startReceivers();
    const offsets = await connectKafkaOffsets(pipeline.stack.kafkaBrokers);
    const tables = await openTables(pipeline.stack.databaseUrl);
    let report: BenchReport;
    try {
      await pipeline.start();
      report = await measure(begun, { pipeline, load, receivers, offsets, tables });
    } catch (error) {
      begun.say(pipeline.describe());
      throw error;
    } finally {
      load.stop();
      receivers.stop();
      await Promise.allSettled([pipeline.stop(), offsets.close(), tables.close()]);
    }
    const profiles = begun.profile
      ? pipelineServices.map((name) => `${name}, ${describeProfile(profileOf(name))}`)
      : [];
    return { ...report, notes: [...report.notes, ...profiles] };
  }),
};

const profileOf = (name: string): string => join(hooklineDir, 'profiles', `whole-${process.pid}-${name}.cpuprofile`);

interface World {
  pipeline: Pipeline;
  load: Load;
  receivers: Receivers;
  offsets: KafkaOffsets;
  tables: Tables;
}

async function measure({ numbers, say }: BegunBench<Settings>, world: World): Promise<BenchReport> {
  const { pipeline, load, receivers } = world;
  const { share, 'per-second': given, seconds, 'stop-minutes': stopMinutes } = numbers;
  const { stack } = pipeline;
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const sources = await Promise.all(
    senderKinds.map(({ scheme, settings }) => api.createSource({ name: 'whole', scheme, ...settings })),
  );
  const { id: endpointId } = await api.createEndpoint({
    url: receivers.url(measuredEndpoint),
    source_ids: [...sources.map(({ id }) => id), publishedSourceId],
  });
  await delay(endpointSettlingMs + settlingMarginMs);

  let loads = 0;
  const send = (perSecond: number, forSeconds: number): Promise<void> => {
    const name = `load-${(loads += 1)}`;
    const { apiUrl, adminKey } = stack;
    return load.send({ name, sources, apiUrl, adminKey, perSecond, seconds: forSeconds, seed: loads });
  };
  const backlog = async (): Promise<number> =>
    Math.round(
      webhooksBehind(await lagsOf(world.offsets, stack.topicPrefix)) + (await world.tables.waiting([endpointId])),
    );
  const search = (): Promise<number> =>
    findHighestRate({
      async send(perSecond, forSeconds) {
        const before = load.webhooks.length;
        await send(perSecond, forSeconds);
        await delay(commitsMs);
        return load.webhooks.slice(before).filter(({ outcome }) => outcome !== 'ok').length;
      },
      backlog,
      onTried: (tried) => say(`${tried.perSecond}/s: ${tried.isSustained ? 'sustained' : 'too much'}, ${tried.says}`),
    });
  const highest = given > 0 ? undefined : await search();
  const perSecond = highest === undefined ? given : rateOf(share, highest);
  if (highest === undefined) await send(perSecond, warmUpSeconds);
  await waitUntil('the search is worked off', async () => (await backlog()) === 0, { timeoutMs: 120_000 });

  const spentDuring = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
    const before = spentBy(world);
    await work();
    return Object.fromEntries(
      Object.entries(spentBy(world)).map(([name, total]) => [name, total - (before[name] ?? 0)]),
    );
  };
  const atRest = await spentDuring(() => delay(restSeconds * 1_000));
  const at = async (perSecond: number): Promise<Rate> => {
    const from = load.webhooks.length;
    load.lateMs();
    const driversBefore = await readDrivers(pipeline);
    const spent = await spentDuring(() => send(perSecond, seconds));
    const sent = load.webhooks.slice(from);
    const lateMs = load.lateMs();
    await delay(commitsMs);
    const drivers = driversEach(driversBefore, await readDrivers(pipeline), sent.length);
    say(`${perSecond} a second: ${describeSpent(spent, sent.length)}`);
    say(`  ${drivers.map(([name, each]) => `${name} ${each.toFixed(2)}`).join(', ')} a webhook`);
    await waitUntil('it is worked off', async () => (await backlog()) === 0, { timeoutMs: 120_000 });
    return { perSecond, spent, sent, lateMs, drivers };
  };
  const measured = await at(perSecond);
  const rates = [measured];
  if (highest !== undefined) for (const each of otherShares) rates.push(await at(rateOf(each, highest)));

  say(`the dispatcher is stopped for ${stopMinutes} minutes, at ${perSecond} a second`);
  await pipeline.stopService('dispatcher');
  await send(perSecond, stopMinutes * 60);
  const piledUp = await backlog();
  await pipeline.startService('dispatcher');
  const backMs = performance.now();
  // The load continues, so the backlog to catch up with keeps growing.
  const goesOn = new AbortController();
  const sending = sendUntil(goesOn.signal, () => send(perSecond, 10));
  await waitUntil('what has piled up is delivered', async () => (await backlog()) <= perSecond, {
    timeoutMs: caughtUpTimeoutMs,
    everyMs: 500,
  }).finally(() => goesOn.abort());
  const caughtUpSeconds = (performance.now() - backMs) / 1_000;
  await sending;
  await waitUntil('all is worked off', async () => (await backlog()) === 0, { timeoutMs: 300_000 });
  await receivers.rest();

  const { receipts } = await readTables(stack.databaseUrl, new Map([[endpointId, measuredEndpoint]]));
  const arrivedAt = receivers.arrivals.get(measuredEndpoint) ?? new Map<string, number>();
  const eventOf = new Map(receipts.map(({ receiptId, eventId }) => [receiptId, eventId ?? '']));
  const accepted = load.webhooks.filter(({ outcome }) => outcome === 'ok');
  const missing = accepted.filter(({ receiptId }) => !arrivedAt.has(eventOf.get(receiptId ?? '') ?? '')).length;
  const latenciesOf = ({ sent }: Rate): number[] => firstArrivals(sent, eventOf, arrivedAt);
  const latencies = latenciesOf(measured);
  const of = (part: number): number[] => [percentile(latencies, part)];
  const rate = highest === undefined ? `${given} a second` : `${share} of it`;
  return {
    setUp:
      `one process of each service, 3 partitions, one broker; webhooks of up to 2 kB of ${sources.length} kinds, a fifth of them repeated, 5 % as many published; ` +
      `one endpoint that is well gets all; sender, receiver and servers on the same machine`,
    figures: [
      ...(highest === undefined
        ? []
        : [{ name: 'highest rate that leaves no backlog in a minute', unit: 'webhooks a second', values: [highest] }]),
      { name: `accepted to arrived at ${rate}, p50`, unit: 'ms', values: of(0.5), aim: { atMost: 15 } },
      { name: `accepted to arrived at ${rate}, p99`, unit: 'ms', values: of(0.99), aim: { atMost: 100 } },
      {
        name: 'processor time of services and servers',
        unit: 'µs a webhook',
        values: [(pipelineSeconds(measured.spent) * 1e6) / measured.sent.length],
      },
      { name: `caught up after ${stopMinutes} minutes without a dispatcher`, unit: 's', values: [caughtUpSeconds] },
      ...[
        ...Object.entries(measured.spent).map(([name, total]) => ({
          name: `processor time of ${name}`,
          unit: 'µs a webhook',
          value: (total * 1e6) / measured.sent.length,
        })),
        ...measured.drivers.map(([name, value]) => ({ name, unit: 'a webhook', value })),
        ...Object.entries(atRest).map(([name, total]) => ({
          name: `${name} at rest`,
          unit: '% of a core',
          value: (100 * total) / restSeconds,
        })),
      ].map(({ name, unit, value }) => ({ name, unit, values: [value], isDetail: true as const })),
    ],
    notes: [
      `${perSecond} a second for ${seconds} s, the sender late by ${measured.lateMs.toFixed(0)} ms at worst; ${latencies.length} events measured`,
      `${piledUp} webhooks had piled up; they went on to come at ${perSecond} a second meanwhile`,
      `${accepted.length} accepted, all arrived but ${missing}`,
    ],
    plots: [latencyPlot(rates, latenciesOf)],
    unaccounted: missing > 0 ? [`${missing} of ${accepted.length} webhooks that were accepted did not arrive`] : [],
  };
}

const rateOf = (share: number, highest: number): number => Math.max(1, Math.round(share * highest));

const describeSpent = (spent: Rate['spent'], webhooks: number): string =>
  Object.entries(spent)
    .map(([name, total]) => `${name} ${((total * 1e6) / webhooks).toFixed()}`)
    .join(', ') + ' µs a webhook';

/** Processor seconds so far, by process: of the services, of what stands behind them, and of what sends and receives for the bench. */
function spentBy({ pipeline, load, receivers }: World): Record<string, number> {
  const pids = pipeline.processIds();
  return Object.fromEntries([
    ...pipelineServices.map((name) => [name, processorSeconds(pids[name] ?? 0)]),
    ...Object.entries(serverPids()).map(([name, pid]) => [name, processorSecondsOfFamily(pid)]),
    ['sender', load.spentSeconds()],
    ['receiver', processorSeconds(receivers.pid)],
  ]) as Record<string, number>;
}

/** Without what sends and receives for the bench. */
const pipelineSeconds = ({ sender: _, receiver: __, ...spent }: Rate['spent']): number =>
  Object.values(spent).reduce((sum, each) => sum + each, 0);

async function sendUntil(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await send();
}

/** From when the sender had its answer, in ms, of each event once; what overtakes the answer counts as 0. */
function firstArrivals(
  sent: readonly { receiptId: string | null; answeredAtMs: number }[],
  eventOf: ReadonlyMap<string, string>,
  arrivedAt: ReadonlyMap<string, number>,
): number[] {
  const known = new Set<string>();
  return sent.flatMap(({ receiptId, answeredAtMs }) => {
    const eventId = eventOf.get(receiptId ?? '') ?? '';
    const atMs = arrivedAt.get(eventId);
    if (known.has(eventId) || atMs === undefined) return [];
    known.add(eventId);
    return [Math.max(0, atMs - answeredAtMs)];
  });
}
