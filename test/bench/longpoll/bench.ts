/**
 * Held requests on one process of the API: their memory, their idle cost, and their latency.
 *
 * Clients ask again as soon as they are answered; the projector's own statements write the events: first each for the few clients of its
 * tenant, then for all clients, in one tenant. Latency is from the commit of an event to its arrival at each client. None may be missed.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createWorld, type World } from '../../integration/dispatcher/world.ts';
import { project } from '../../integration/projector/projection.ts';
import { percentile } from '../../support/percentiles.ts';
import { readCounters } from '../../support/read-counters.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventFact } from '../../unit/projector/facts.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { type HeldClients, holdClients } from './held-clients.ts';
import { adminKey } from './keys.ts';

type Settings = 'held' | 'tenants' | 'events' | 'idle-seconds' | 'old-space-mib' | 'semi-space-mib';

const betweenEventsMs = 20;
/** In which each of them, held for a minute, is answered with nothing and asks again. */
const roundSeconds = 60;
const herdEvents = 3;
const toldTimeoutMs = 60_000;

export const longpollBench: Bench<Settings> = {
  name: 'longpoll',
  says: 'requests that one process of the API holds: memory, rest, wake-up',
  // V8 sizes its heap by the machine: this is what a container with 512 MiB leads it to.
  numbers: { held: 10_000, tenants: 1_000, events: 300, 'idle-seconds': 10, 'old-space-mib': 192, 'semi-space-mib': 4 },
  run: onTestServers(async (begun) => {
    const { 'old-space-mib': oldSpace, 'semi-space-mib': semiSpace } = begun.numbers;
    const world = await createWorld('longpoll');
    try {
      const [port = 0] = await freePorts(1);
      const api = await world.spawnService('api', {
        HOOKLINE_ADMIN_KEY: adminKey,
        HOOKLINE_API_PORT: String(port),
        HOOKLINE_LONGPOLL_MAX: '20000',
        HOOKLINE_LONGPOLL_MAX_PER_KEY: '20000',
        HOOKLINE_LOG_LEVEL: 'warn',
        NODE_OPTIONS: `--max-old-space-size=${oldSpace} --max-semi-space-size=${semiSpace}`,
      });
      await api.ready(30_000);
      return await measure(begun, { world, port, pid: api.pid, metricsUrl: `${api.adminUrl}/metrics` });
    } finally {
      await world.stop();
    }
  }),
};

interface Around {
  world: World;
  port: number;
  /** The pid of the API. */
  pid: number;
  metricsUrl: string;
}

async function measure({ numbers, say }: BegunBench<Settings>, around: Around): Promise<BenchReport> {
  const { held, tenants, events, 'idle-seconds': idleSeconds } = numbers;
  const { pid } = around;
  const toldAtMs: number[] = [];
  const atRest = residentMib(pid);
  const many = await hold(around, held, (client) => `tenant-${client % tenants}`, toldAtMs);
  const withAll = residentMib(pid);
  say(`at rest ${atRest.toFixed()} MiB, with ${held} held ${withAll.toFixed()} MiB`);
  const idle = await coresDuring(pid, idleSeconds);
  const askingAgain = await coresDuring(pid, roundSeconds);
  const aMinuteLater = residentMib(pid);

  const latencies: number[] = [];
  for (let n = 0; n < events; n += 1) {
    latencies.push(...(await commitTo(around.world, `tenant-${(n * 7) % tenants}`, many, toldAtMs)));
    await delay(betweenEventsMs);
  }
  many.close();
  await waitUntil('none is held', async () => (await waiting(around)) === 0, { timeoutMs: toldTimeoutMs });

  const herd = await hold(around, held, () => 'one', toldAtMs);
  const lasts: number[] = [];
  for (let n = 0; n < herdEvents; n += 1) {
    lasts.push(Math.max(...(await commitTo(around.world, 'one', herd, toldAtMs))));
    await waitUntil('all are held again', async () => (await waiting(around)) >= held, { timeoutMs: toldTimeoutMs });
  }
  herd.close();
  const one = (value: number): number[] => [value];
  return {
    setUp: `${held} held in ${tenants} tenants, clients and servers on the same machine; Node with ${numbers['old-space-mib']} MiB of old space and semi-spaces of ${numbers['semi-space-mib']} MiB`,
    figures: [
      { name: 'memory at rest', unit: 'MiB', values: one(atRest) },
      { name: 'memory with all held', unit: 'MiB', values: one(withAll), aim: { atMost: 250 } },
      { name: 'memory a minute later, each has asked again', unit: 'MiB', values: one(aMinuteLater) },
      { name: 'processor, all idle', unit: '% of a core', values: one(100 * idle) },
      { name: 'processor, each asking again in a minute', unit: '% of a core', values: one(100 * askingAgain) },
      { name: 'commit to client, p50', unit: 'ms', values: one(percentile(latencies, 0.5)) },
      { name: 'commit to client, p99', unit: 'ms', values: one(percentile(latencies, 0.99)), aim: { atMost: 50 } },
      { name: 'one event for all of them, the last client', unit: 'ms', values: lasts },
    ],
    notes: [`${events} events, ${(held / tenants).toFixed()} clients each; each client was told of each`],
    unaccounted: [],
  };
}

/** NaN while the process is too busy to tell. */
const waiting = ({ metricsUrl }: Around): Promise<number> =>
  readCounters(metricsUrl, 'hookline_longpoll_waiting').then(
    (counter) => counter({}),
    () => Number.NaN,
  );

function residentMib(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

async function coresDuring(pid: number, seconds: number): Promise<number> {
  const before = processorSeconds(pid);
  await delay(seconds * 1_000);
  return (processorSeconds(pid) - before) / seconds;
}

async function hold(
  around: Around,
  held: number,
  tenantOf: (client: number) => string,
  toldAtMs: number[],
): Promise<HeldClients> {
  const clients = await holdClients(around.port, tenantOf, held, (_client, atMs) => toldAtMs.push(atMs));
  await waitUntil('all are held', async () => (await waiting(around)) >= held, { timeoutMs: 120_000 });
  return clients;
}

/**
 * The time from the commit of an event to its arrival at each client of its tenant, in ms.
 *
 * @throws Error if a client misses it
 */
async function commitTo(world: World, tenant: string, clients: HeldClients, toldAtMs: number[]): Promise<number[]> {
  toldAtMs.length = 0;
  await project(world.postgres, [eventFact({ tenant, eventId: `evt_${performance.now()}` })]);
  const committedAtMs = performance.now();
  const expected = clients.ofTenant(tenant).length;
  await waitUntil('all are told', () => toldAtMs.length >= expected, { timeoutMs: toldTimeoutMs, everyMs: 5 });
  return toldAtMs.map((atMs) => Math.max(0, atMs - committedAtMs));
}
