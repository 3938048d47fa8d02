/**
 * The first byte of each page of the console, at rest and while webhooks go through. One operator, who looks at one page after the other: the
 * tenant that the webhooks come to, with one of everything in it. Every page must be a 200, and every accepted webhook an event.
 */
import { request } from 'node:http';
import { senderKinds } from '../../faults/receiving/webhooks.ts';
import { createApiClient } from '../../support/api-client.ts';
import { consoleRoutes, needParameters } from '../../support/console/console-routes.ts';
import { type ConsoleWorld, type Furnished, furnish, startConsoleWorld } from '../../support/console/console-world.ts';
import { percentile } from '../../support/percentiles.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { withDatabase } from '../../support/with-database.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { median } from '../support/median.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { createLoad, type Load } from '../traffic/load.ts';

type Settings = 'per-second' | 'seconds' | 'rest-seconds';

/** That of the load. */
const tenant = 'default';
const warmUpRounds = 3;
const warmUpSeconds = 15;
const firstByteAimMs = 150;
const arrivalTimeoutMs = 120_000;

export const consoleBench: Bench<Settings> = {
  name: 'console',
  says: 'the first byte of each page, while webhooks go through',
  numbers: { 'per-second': 150, seconds: 60, 'rest-seconds': 20 },
  run: onTestServers(async (begun) => {
    const world = await startConsoleWorld();
    const load = createLoad();
    try {
      const [furnished] = await furnish(world, [tenant]);
      if (furnished === undefined) throw new Error('no tenant');
      return await measure(begun, { world, load, furnished });
    } catch (error) {
      begun.say(world.pipeline.describe());
      throw error;
    } finally {
      load.stop();
      await world.close();
    }
  }),
};

interface Around {
  world: ConsoleWorld;
  load: Load;
  furnished: Furnished;
}

/** The first bytes of a page, in ms. */
type FirstBytes = ReadonlyMap<string, readonly number[]>;

async function measure({ numbers, say }: BegunBench<Settings>, around: Around): Promise<BenchReport> {
  const { 'per-second': perSecond, seconds, 'rest-seconds': restSeconds } = numbers;
  const { world, load, furnished } = around;
  const { stack } = world.pipeline;
  const token = await world.tokenFor('*');
  const pages = consoleRoutes
    .filter(({ path, get, page }) => get !== undefined && page.face !== 'portal' && !(path in needParameters))
    .map(({ at }) => at(tenant, furnished.ids));
  const look = (until: () => boolean): Promise<FirstBytes> => lookAround(world.url, { token, pages, until });

  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const sources = await Promise.all(
    senderKinds.map(({ scheme, settings }) => api.createSource({ name: 'load', scheme, ...settings })),
  );
  let loads = 0;
  const send = (forSeconds: number): Promise<void> => {
    const name = `load-${(loads += 1)}`;
    const { apiUrl, adminKey } = stack;
    return load.send({ name, sources, apiUrl, adminKey, perSecond, seconds: forSeconds, seed: loads });
  };
  let rounds = 0;
  await look(() => (rounds += 1) > warmUpRounds * pages.length);
  await send(warmUpSeconds);

  const atRest = await look(after(restSeconds));
  say(`at rest: ${describe(atRest)}`);
  const spent = spentBy(world);
  const [meanwhile] = await Promise.all([look(after(seconds)), send(seconds)]);
  const spentSeconds = spentBy(world) - spent;
  const lateMs = load.lateMs();
  say(`meanwhile: ${describe(meanwhile)}`);

  const accepted = new Set(load.webhooks.filter(({ outcome }) => outcome === 'ok').map(({ receiptId }) => receiptId));
  const missing = await missingOf(stack.databaseUrl, accepted);
  const looks = [...meanwhile.values()].flat();
  const slowest = [...meanwhile].map(([page, ms]) => ({ page, p95: percentile(ms, 0.95) }));
  slowest.sort((a, b) => b.p95 - a.p95);
  const one = (value: number): number[] => [value];
  return {
    setUp: `one process of each service and of the console, ${perSecond} webhooks a second for ${seconds} s to the tenant that is looked at; ${pages.length} pages one after the other, by one operator; sender, browser and servers on the same machine`,
    figures: [
      { name: 'first byte, p50', unit: 'ms', values: one(percentile(looks, 0.5)) },
      { name: 'first byte, p95', unit: 'ms', values: one(percentile(looks, 0.95)), aim: { atMost: firstByteAimMs } },
      { name: 'first byte at rest, p95', unit: 'ms', values: one(percentile([...atRest.values()].flat(), 0.95)) },
      {
        name: 'first byte of the slowest page, p95',
        unit: 'ms',
        values: one(slowest[0]?.p95 ?? Number.NaN),
        aim: { atMost: firstByteAimMs },
      },
      { name: 'processor time of the console', unit: 'ms a page', values: one((spentSeconds * 1_000) / looks.length) },
    ],
    notes: [
      `${looks.length} pages looked at meanwhile; the sender was late by ${lateMs.toFixed()} ms at worst`,
      `the slowest, by p95: ${slowest
        .slice(0, 5)
        .map(({ page, p95 }) => `${page} ${p95.toFixed()} ms`)
        .join(', ')}`,
      `${accepted.size} receipts accepted, ${missing} of them led to no event`,
    ],
    unaccounted: missing > 0 ? [`${missing} of ${accepted.size} receipts led to no event`] : [],
  };
}

const after = (seconds: number): (() => boolean) => {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() > endMs;
};

const describe = (looks: FirstBytes): string => {
  const all = [...looks.values()].flat();
  return `${all.length} pages, median ${median(all).toFixed(1)} ms, p95 ${percentile(all, 0.95).toFixed(1)} ms`;
};

const spentBy = ({ pipeline }: ConsoleWorld): number => processorSeconds(pipeline.processIds()['console'] ?? 0);

/** @throws Error where a page is no 200 */
async function lookAround(
  url: string,
  { token, pages, until }: { token: string; pages: readonly string[]; until: () => boolean },
): Promise<FirstBytes> {
  const looks = new Map(pages.map((page) => [page, [] as number[]]));
  for (;;)
    for (const [page, each] of looks) {
      if (until()) return looks;
      each.push(await firstByteMs(url + page, token));
    }
}

function firstByteMs(url: string, token: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const askedAtMs = performance.now();
  request(url, { headers: { cookie: `hookline=${token}` } }, (answer) => {
    const tookMs = performance.now() - askedAtMs;
    if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
    answer.resume().once('end', () => resolve(tookMs));
  })
    .once('error', reject)
    .end();
  return promise;
}

/** How many of the receipts lead to no event, once nothing more comes. */
async function missingOf(databaseUrl: string, receiptIds: ReadonlySet<string | null>): Promise<number> {
  return withDatabase(databaseUrl, async (postgres) => {
    const missing = async (): Promise<number> => {
      const [row] = await postgres.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM receipts WHERE receipt_id = ANY($1) AND event_id IS NOT NULL',
        [[...receiptIds]],
      );
      return receiptIds.size - (row?.n ?? 0);
    };
    await waitUntil('every receipt leads to its event', async () => (await missing()) === 0, {
      timeoutMs: arrivalTimeoutMs,
    }).catch(() => undefined);
    return missing();
  });
}
