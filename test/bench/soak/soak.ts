/** The whole pipeline under a steady load for a long time, and what it has used all the while. */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, publishedSourceId } from '#lib/contract';
import { senderKinds } from '../../faults/receiving/webhooks.ts';
import { openTables } from '../../faults/delivering/tables.ts';
import { untilDrained } from '../../faults/system/drained.ts';
import type { OwnRedis } from '../../integration/dedup/redis-server.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { seedOf } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { lagNames, webhooksBehind } from '../support/lags.ts';
import { type Account, account } from './accounts.ts';
import { measuredEndpoint, soakEndpoints } from '../traffic/endpoints.ts';
import { findHighestRate, type Tried } from '../traffic/find-rate.ts';
import { judgeSamples, type SeriesVerdict } from './judge.ts';
import { latenciesByMinute, type MinuteOfLatencies } from './latencies.ts';
import { createLoad } from '../traffic/load.ts';
import { type SoakPollers, startPollers } from './pollers.ts';
import { readTables } from '../traffic/read-tables.ts';
import { type Receivers, startReceivers } from '../traffic/receivers.ts';
import type { Sample } from './sample.ts';
import { createSampler, type Sampler } from './sampler.ts';

export interface SoakOptions {
  pipeline: Pipeline;
  redis: OwnRedis;
  minutes: number;
  /** Webhooks a second; undefined: half of the highest sustained rate, which is measured first. */
  perSecond: number | undefined;
  everySeconds: number;
  seed: number;
  say(line: string): void;
}

export interface SoakResult {
  perSecond: number;
  /** Undefined where the rate was given. */
  highestPerSecond: number | undefined;
  tried: Tried[];
  samples: Sample[];
  series: SeriesVerdict[];
  account: Account;
  latencies: MinuteOfLatencies[];
  /** How late the sender was at worst. */
  senderLateMs: number;
  pollers: { name: string; requests: number; failed: number }[];
  /** From the last webhook until nothing was under way. */
  drainSeconds: number;
  violations: string[];
}

const settlingMarginMs = 1_000;
const pollersCatchUpMs = 60_000;
/** Commits come a second after the work. */
const commitsMs = 2_000;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { pipeline, redis, everySeconds, say } = options;
  const { stack } = pipeline;
  const receivers = await startReceivers();
  const load = createLoad();
  let sampler: Sampler | undefined;
  let pollers: SoakPollers | undefined;
  try {
    sampler = await createSampler({ pipeline, redis, everySeconds, onSample: (sample) => say(lineOf(sample)) });
    const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
    const world = await createWorld(api, receivers);
    pollers = startPollers({ url: stack.apiUrl, adminKey: stack.adminKey });
    return await underLoad(options, { ...world, load, receivers, sampler, pollers });
  } finally {
    load.stop();
    receivers.stop();
    await Promise.allSettled([pollers?.stop(), sampler?.close()]);
  }
}

interface World extends Awaited<ReturnType<typeof createWorld>> {
  load: ReturnType<typeof createLoad>;
  receivers: Receivers;
  sampler: Sampler;
  pollers: SoakPollers;
}

/** A source for each kind of sender; the endpoints take their sources by turns. */
async function createWorld(api: ApiClient, receivers: Receivers) {
  const sources = await Promise.all(
    senderKinds.map(({ scheme, settings }) => api.createSource({ name: 'soak', scheme, ...settings })),
  );
  const all = [...sources.map(({ id }) => id), publishedSourceId];
  let next = 0;
  const endpoints = [];
  for (const { name, sources: wanted, settings } of soakEndpoints) {
    const sourceIds = wanted === 'all' ? all : Array.from({ length: wanted }, () => all[next++ % all.length] ?? '');
    const { id } = await api.createEndpoint({ url: receivers.url(name), source_ids: sourceIds, ...settings });
    endpoints.push({ name, id, sourceIds });
  }
  await delay(endpointSettlingMs + settlingMarginMs);
  return { sources, endpoints };
}

async function underLoad(options: SoakOptions, world: World): Promise<SoakResult> {
  const { pipeline, minutes, seed, say } = options;
  const { load, receivers, sampler, pollers, sources, endpoints } = world;
  const { stack } = pipeline;
  const send = (name: string, perSecond: number, seconds: number): Promise<void> =>
    load.send({
      name,
      sources,
      apiUrl: stack.apiUrl,
      adminKey: stack.adminKey,
      perSecond,
      seconds,
      seed: seedOf(seed, name),
    });

  const tried: Tried[] = [];
  let searches = 0;
  const measuredId = endpoints.find(({ name }) => name === measuredEndpoint)?.id ?? '';
  const highestPerSecond =
    options.perSecond === undefined
      ? await findHighestRate({
          async send(perSecond, seconds) {
            const before = load.webhooks.length;
            await send(`search-${searches++}`, perSecond, seconds);
            await delay(commitsMs);
            return load.webhooks.slice(before).filter(({ outcome }) => outcome !== 'ok').length;
          },
          backlog: async () =>
            Math.round(webhooksBehind(await sampler.topics()) + (await sampler.waitingFor(measuredId))),
          onTried(each) {
            tried.push(each);
            say(`${each.perSecond}/s: ${each.isSustained ? 'sustained' : 'too much'}, ${each.says}`);
          },
        })
      : undefined;
  const perSecond = options.perSecond ?? Math.round((highestPerSecond ?? 0) / 2);
  const beforeSoak = { webhooks: load.webhooks.length, published: load.published.length };
  const [acceptedBefore, arrivedBefore] = [load.accepted(), receivers.arrived()];
  load.lateMs();

  say(`${perSecond} webhooks a second for ${minutes} minutes`);
  const startedAtMs = Date.now();
  const seconds = minutes * 60;
  const samples = await sampler.during(send('soak', perSecond, seconds), () => ({
    accepted: load.accepted() - acceptedBefore,
    arrived: receivers.arrived() - arrivedBefore,
  }));
  const senderLateMs = load.lateMs();

  const sentAtMs = performance.now();
  const taken = new Set(load.webhooks.filter(({ outcome }) => outcome === 'ok').map(({ webhook }) => webhook));
  const publishes = load.published.filter(({ eventId }) => eventId !== null).length;
  const tables = await openTables(stack.databaseUrl);
  const isDrained = await untilDrained({
    tables,
    offsets: sampler.offsets,
    topicPrefix: stack.topicPrefix,
    sourceIds: [...sources.map(({ id }) => id), publishedSourceId],
    endpointIds: endpoints.map(({ id }) => id),
    taken: () => taken.size + publishes,
    // oxlint-disable-next-line typescript/no-misused-promises
  }).finally(() => tables.close());
  const drainSeconds = (performance.now() - sentAtMs) / 1_000;
  await receivers.rest();
  const rows = await readTables(stack.databaseUrl, new Map(endpoints.map(({ id, name }) => [id, name])));
  await pollersCaughtUp(pollers, rows.events.length);
  await pollers.stop();

  const books = {
    ...rows,
    // The search sends too much on purpose: its accepted webhooks count, its refused ones are no fault.
    webhooks: load.webhooks.filter(({ outcome }, index) => outcome === 'ok' || index >= beforeSoak.webhooks),
    published: load.published.filter(({ eventId }, index) => eventId !== null || index >= beforeSoak.published),
    arrivals: receivers.arrivals,
    endpointsOf: (sourceId: string) =>
      endpoints.filter(({ sourceIds }) => sourceIds.includes(sourceId)).map(({ name }) => name),
    polled: new Map(pollers.all.map(({ name, ended }) => [name, ended])),
  };
  const accounted = account(books);
  const series = judgeSamples(samples);
  const failedPolls = pollers.all.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`));
  return {
    perSecond,
    highestPerSecond,
    tried,
    samples,
    series,
    senderLateMs,
    drainSeconds,
    account: accounted,
    latencies: latenciesByMinute(books, { endpoint: measuredEndpoint, startedAtMs, seconds }),
    pollers: pollers.all.map(({ name, requests, failures }) => ({ name, requests, failed: failures.length })),
    violations: [
      ...series.filter(({ isFlat }) => !isFlat).map(describeGrowth),
      ...(isDrained ? [] : ['what was taken does not end']),
      ...accounted.violations,
      ...(failedPolls.length > 0 ? [`${failedPolls.length} polls failed: ${failedPolls.slice(0, 3).join(', ')}`] : []),
    ],
  };
}

/** The sum shows which pollers did not come so far. */
async function pollersCaughtUp({ all }: SoakPollers, events: number): Promise<void> {
  await waitUntil('the pollers have seen all', () => all.every(({ ended }) => ended.size >= events), {
    timeoutMs: pollersCatchUpMs,
    everyMs: 200,
  }).catch(() => undefined);
}

const describeGrowth = ({ what, of, level, moved, limit, unit }: SeriesVerdict): string =>
  `${what} of ${of} is not flat: ${moved.toFixed(1)} ${unit} more at a level of ${level.toFixed(1)}, ${limit.toFixed(1)} allowed`;

function lineOf({ atSeconds, processes, topics, postgres, accepted, arrived }: Sample): string {
  const memory = Object.entries(processes).map(([name, { residentMib }]) => `${name} ${residentMib.toFixed()}`);
  const lag = lagNames.map((group) => `${group} ${topics[group].lag}`);
  return `${atSeconds.toFixed().padStart(6)} s  ${accepted} taken, ${arrived} arrived; MiB: ${memory.join(' ')}; lag: ${lag.join(' ')}; waiting ${postgres.waiting}`;
}
