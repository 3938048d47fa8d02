/**
 * Requests that are held, on one process of the API: what they cost in memory and at rest, and how soon they are answered.
 * `npm run -s longpoll [-- --held 10000 --tenants 1000 --events 300]`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePorts } from '#deploy/local/free-ports.ts';
import { project } from '../../integration/projector/projection.ts';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { readCounters } from '../../support/read-counters.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventFact } from '../../unit/projector/facts.ts';
import { describeLatencies } from '../isolation/percentiles.ts';
import { type HeldClients, holdClients } from './held-clients.ts';
import { adminKey } from './keys.ts';

const { values } = parseArgs({
  options: {
    held: { type: 'string', default: '10000' },
    tenants: { type: 'string', default: '1000' },
    events: { type: 'string', default: '300' },
    'idle-seconds': { type: 'string', default: '10' },
    /** Of the API's process, such as `--max-semi-space-size=4 --max-old-space-size=192`. */
    'node-options': { type: 'string', default: '' },
  },
});
const [held, tenants, events, idleSeconds] = [values.held, values.tenants, values.events, values['idle-seconds']].map(
  Number,
) as [number, number, number, number];
const betweenEventsMs = 20;
/** In which each of them, held for a minute, is answered with nothing and asks again. */
const roundSeconds = 60;
const ticksPerSecond = 100;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await startServers({ rootDir: join(import.meta.dirname, '../../..') });
const world = await createWorld('longpoll');
const [port = 0] = await freePorts(1);
const api = await world.spawnService('api', {
  HOOKLINE_ADMIN_KEY: adminKey,
  HOOKLINE_API_PORT: String(port),
  HOOKLINE_LONGPOLL_MAX: '20000',
  HOOKLINE_LONGPOLL_MAX_PER_KEY: '20000',
  HOOKLINE_LOG_LEVEL: 'warn',
  NODE_OPTIONS: values['node-options'],
});
await api.ready(30_000);

/** NaN while the process is too busy to tell. */
const waiting = (): Promise<number> =>
  readCounters(`${api.adminUrl}/metrics`, 'hookline_longpoll_waiting').then(
    (counter) => counter({}),
    () => Number.NaN,
  );
/** Of the process, and what of it is not the pages of Node's own file. */
const memory = (): string => {
  const status = readFileSync(`/proc/${api.pid}/status`, 'utf8');
  const mebibytes = (field: string): string =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024).toFixed(0);
  return `${mebibytes('VmRSS')} MiB (${mebibytes('RssAnon')} without Node's file)`;
};
const cpuSeconds = (): number => {
  const fields = readFileSync(`/proc/${api.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

/** From the commit of an event to its arrival, at each of the clients of its tenant. */
async function commitTo(tenant: string, clients: HeldClients, toldAtMs: number[]): Promise<number[]> {
  toldAtMs.length = 0;
  await project(world.postgres, [eventFact({ tenant, eventId: `evt_${performance.now()}` })]);
  const committedAtMs = performance.now();
  const expected = clients.ofTenant(tenant).length;
  await waitUntil('all are told', () => toldAtMs.length >= expected, { timeoutMs: 60_000, everyMs: 5 });
  return toldAtMs.map((atMs) => Math.max(0, atMs - committedAtMs));
}

async function hold(tenantOf: (client: number) => string, toldAtMs: number[]): Promise<HeldClients> {
  const clients = await holdClients(port, tenantOf, held, (_client, atMs) => toldAtMs.push(atMs));
  await waitUntil('all are held', async () => (await waiting()) >= held, { timeoutMs: 120_000 });
  return clients;
}

async function restFor(seconds: number, what: string): Promise<void> {
  const before = cpuSeconds();
  await delay(seconds * 1_000);
  print(`${what}, ${seconds} s: ${(((cpuSeconds() - before) / seconds) * 100).toFixed(1)} % of a core; ${memory()}`);
}

const toldAtMs: number[] = [];
print(`at rest: ${memory()}`);
const many = await hold((client) => `tenant-${client % tenants}`, toldAtMs);
print(`${held} held, in ${tenants} tenants: ${memory()}`);

await restFor(idleSeconds, 'idle');
await restFor(roundSeconds, 'each asks again once');

const latencies: number[] = [];
for (let n = 0; n < events; n += 1) {
  latencies.push(...(await commitTo(`tenant-${(n * 7) % tenants}`, many, toldAtMs)));
  await delay(betweenEventsMs);
}
print(`${events} events, ${held / tenants} clients each: ${describeLatencies(latencies)}; ${memory()}`);
many.close();
await waitUntil('none is held', async () => (await waiting()) === 0, { timeoutMs: 60_000 });
print(`all have left: ${memory()}`);

const herd = await hold(() => 'one', toldAtMs);
print(`${held} held, in one tenant: ${memory()}`);
for (let n = 0; n < 3; n += 1) {
  const woken = await commitTo('one', herd, toldAtMs);
  print(`one event for all of them: ${describeLatencies(woken)}, the last ${Math.max(...woken).toFixed(0)} ms`);
  await waitUntil('all are held again', async () => (await waiting()) >= held, { timeoutMs: 60_000 });
}
herd.close();
await world.stop();
await stopServers();
