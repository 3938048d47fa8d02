/**
 * Measures what retries cost, and how punctual they are, with ten million deliveries waiting: `npm run -s retries [-- --waiting 10000000]`.
 *
 * Two installations on the same servers, one with that many rows that are due in a day or two, one without; each has its own database,
 * topics, projector and dispatchers, as processes. They run in turns, one at a time, so that both have the same machine. In each turn rows
 * become due: evenly over a time (`steady`), then all at one instant (`flood`), then as many for two dispatchers. Every delivery is refused
 * at its first retry and taken at its second, so that rows are written back too.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createWorld, type World } from '../../integration/dispatcher/world.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { readCounters } from '../../support/read-counters.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { serverAddresses } from '../../support/servers.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { percentile } from '../../support/percentiles.ts';
import { perRetry, settledWrites, type Writes } from './count-writes.ts';
import { startRetryReceiver } from './retry-receiver.ts';
import type { RetryPayload } from './retry-receiver-process.ts';
import {
  benchEndpoint,
  type BenchEndpoint,
  countUnfinished,
  fillFarFuture,
  insertedTables,
  insertWaiting,
  removeAll,
} from './waiting-deliveries.ts';

const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '10000000' },
    endpoints: { type: 'string', default: '1000' },
    'per-second': { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    flood: { type: 'string', default: '6000' },
    repetitions: { type: 'string', default: '3' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('retries', values.record);
const [waiting, endpoints, perSecond, seconds, flood, repetitions] = [
  values.waiting,
  values.endpoints,
  values['per-second'],
  values.seconds,
  values.flood,
  values.repetitions,
].map(Number) as [number, number, number, number, number, number];
const partitions = 12;
const refusals = 1;
const sendsPerDelivery = refusals + 1;
const refusedWaitSeconds = 5;
const insertsPerSecond = 2_000;
const aimMs = 1_000;

type Dispatcher = Awaited<ReturnType<World['spawnService']>>;
type Installation = Awaited<ReturnType<typeof createInstallation>>;

const loadNames = ['steady', 'flood', 'flood, two'] as const;
type LoadName = (typeof loadNames)[number];

interface Load {
  phase: string;
  /** Deliveries. */
  count: number;
  overMs: number;
  countsWrites: boolean;
}

interface Result {
  lateMs: number[];
  /** While nine tenths of the requests came, from the first of them on. */
  perSecond: number;
  /** As a share of the retries that the dispatchers' own metric saw. */
  withinAim: number;
  shares: number[];
  writes: Writes;
  loadAverage: number;
}

const rootDir = join(import.meta.dirname, '../../..');
await startServers({ rootDir });
const receiver = await startRetryReceiver(refusals, refusedWaitSeconds * 1_000);
const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
const random = seededRandom(1);

async function createInstallation(name: string) {
  const world = await createWorld(`retries-${name}`, { partitions });
  const postgres = createPostgres({
    url: world.databaseUrl,
    applicationName: 'bench',
    maxConnections: 2,
    statementTimeoutMs: 3_600_000,
    log: silentLogger,
  });
  await postgres.start();
  const known: BenchEndpoint[] = [];
  const retry = { schedule: Array.from({ length: sendsPerDelivery + 1 }, () => refusedWaitSeconds) };
  for (let at = 0; at < endpoints; at += 1) {
    const { id } = await world.addEndpoint(`endpoint ${at}`, { retry }, { url: receiver.url });
    known.push(benchEndpoint(id, partitions));
  }
  await makeDays(world, postgres);
  return { name, world, postgres, endpoints: known };
}

/** Payloads go into partitions of their days, which the projector makes: before they come, as ever. */
async function makeDays(world: World, postgres: Postgres): Promise<void> {
  const projector = await world.spawnService('projector');
  const partitions = `SELECT FROM pg_inherits WHERE inhparent = 'event_payloads'::regclass`;
  await waitUntil('there are days', async () => (await postgres.query(partitions)).length > 1, { timeoutMs: 60_000 });
  await projector.stop(20_000);
}

async function makeDue({ postgres, endpoints: all }: Installation, { phase, count, overMs }: Load): Promise<void> {
  const firstAtMs = Date.now() + 2_000 + (count / insertsPerSecond) * 1_000;
  const deliveries = Array.from({ length: count }, (_, at) => {
    const dueAtMs = firstAtMs + (overMs * at) / count;
    const payload: RetryPayload = { phase, dueAtMs };
    const endpoint = all[Math.floor(random() * all.length)] as BenchEndpoint;
    return { endpoint, dueAtMs, payload: Buffer.from(JSON.stringify(payload)) };
  });
  await insertWaiting(postgres, deliveries);
  if (Date.now() > firstAtMs) console.log(`  ${phase}: some were due before they were there`);
}

async function taken(phase: string, count: number, timeoutMs: number): Promise<void> {
  let last = 0;
  await waitUntil(`${count} deliveries are taken`, async () => (last = await receiver.taken(phase)) >= count, {
    timeoutMs,
    everyMs: 250,
    describe: () => `${phase}: ${last}`,
  });
}

const dueErrors = async ({ adminUrl }: Dispatcher): Promise<{ all: number; withinAim: number }> => {
  const of = async (metric: string, labels: Record<string, string>): Promise<number> =>
    (await readCounters(`${adminUrl}/metrics`, `hookline_retry_due_error_seconds_${metric}`))(labels);
  return { all: await of('count', {}), withinAim: await of('bucket', { le: String(aimMs / 1_000) }) };
};

async function measure(installation: Installation, dispatchers: readonly Dispatcher[], load: Load): Promise<Result> {
  const { postgres, world } = installation;
  const topics = Object.values(world.topics);
  const metricBefore = await Promise.all(dispatchers.map(dueErrors));
  const before = load.countsWrites ? await settledWrites(postgres, offsets, topics) : {};
  await makeDue(installation, load);
  await taken(load.phase, load.count, load.overMs + 300_000);
  const [loadAverage = 0] = loadavg();
  const after = load.countsWrites ? await settledWrites(postgres, offsets, topics) : {};
  await allDelivered(installation);
  const metricAfter = await Promise.all(dispatchers.map(dueErrors));
  const seen = metricAfter.map(({ all, withinAim }, at) => ({
    all: all - (metricBefore[at]?.all ?? 0),
    withinAim: withinAim - (metricBefore[at]?.withinAim ?? 0),
  }));
  const total = seen.reduce((sum, { all }) => sum + all, 0);
  const { atMs, lateMs } = await receiver.arrivals(load.phase);
  const inOrder = atMs.toSorted((a, b) => a - b);
  const most = Math.floor(inOrder.length * 0.9);
  return {
    lateMs,
    perSecond: (most * 1_000) / ((inOrder[most] as number) - (inOrder[0] as number)),
    withinAim: seen.reduce((sum, { withinAim }) => sum + withinAim, 0) / total,
    shares: seen.map(({ all }) => all / total),
    writes: perRetry(withInserted(before, load.count), after, lateMs.length),
    loadAverage,
  };
}

/** Rows that were inserted to become due are no retry's work. */
const withInserted = (writes: Writes, count: number): Writes => ({
  ...writes,
  ...Object.fromEntries(
    insertedTables.map((table) => [`${table} inserted`, (writes[`${table} inserted`] ?? 0) + count]),
  ),
});

/** A run that loses some would be fast. */
async function allDelivered({ postgres, name }: Installation): Promise<void> {
  let left = { waiting: 0, undelivered: 0 };
  await waitUntil(
    `all is delivered for the tables too, ${name}`,
    async () => (left = await countUnfinished(postgres)).waiting + left.undelivered === 0,
    { timeoutMs: 120_000, everyMs: 500, describe: () => JSON.stringify(left) },
  );
}

async function warmUp(installation: Installation, dispatchers: readonly Dispatcher[], phase: string): Promise<void> {
  await waitUntil(
    'each dispatcher sends',
    async () => {
      const round = `${phase}, warm-up ${performance.now()}`;
      const before = await Promise.all(dispatchers.map(dueErrors));
      await makeDue(installation, { phase: round, count: 1_000, overMs: 3_000, countsWrites: false });
      await taken(round, 1_000, 60_000);
      const after = await Promise.all(dispatchers.map(dueErrors));
      return after.every(({ all }, at) => all > (before[at]?.all ?? 0));
    },
    { timeoutMs: 120_000 },
  );
}

async function takeTurn(installation: Installation, repetition: number): Promise<Record<LoadName, Result>> {
  const { world, name } = installation;
  const phaseOf = (load: LoadName): string => `${name} ${repetition} ${load}`;
  const spawn = async (): Promise<Dispatcher> => {
    const dispatcher = await world.spawnService('dispatcher', { HOOKLINE_LOG_LEVEL: 'warn' });
    await dispatcher.ready(60_000);
    return dispatcher;
  };
  const projector = await world.spawnService('projector', { HOOKLINE_LOG_LEVEL: 'warn' });
  const first = await spawn();
  await warmUp(installation, [first], phaseOf('steady'));
  const steady = await measure(installation, [first], {
    phase: phaseOf('steady'),
    count: (perSecond * seconds) / sendsPerDelivery,
    overMs: seconds * 1_000,
    countsWrites: true,
  });
  const alone = await measure(installation, [first], {
    phase: phaseOf('flood'),
    count: flood,
    overMs: 0,
    countsWrites: false,
  });
  const second = await spawn();
  await warmUp(installation, [first, second], phaseOf('flood, two'));
  const together = await measure(installation, [first, second], {
    phase: phaseOf('flood, two'),
    count: flood,
    overMs: 0,
    countsWrites: false,
  });
  for (const process of [first, second, projector]) {
    await process.stop(20_000);
    const warnings = Object.entries(
      Object.groupBy(process.lines, (line) => /"event":"([^"]*)"/.exec(line)?.[1] ?? line),
    );
    for (const [event, lines] of warnings) console.log(`  warned ${lines?.length} times: ${event}`);
  }
  return { steady, flood: alone, 'flood, two': together };
}

function print(installation: string, load: LoadName, results: readonly Result[]): void {
  const median = (of: (result: Result) => number): number => percentile(results.map(of), 0.5);
  const late = [0.5, 0.99, 1].map(
    (share) =>
      `${share === 1 ? 'max' : `p${share * 100}`} ${median(({ lateMs }) => percentile(lateMs, share)).toFixed(0)} ms`,
  );
  console.log(
    `${installation.padEnd(6)} ${load.padEnd(10)}  ${median((one) => one.perSecond).toFixed(0)} retries/s  late by ${late.join(', ')}  ` +
      `within ${aimMs} ms by the metric: ${(median((one) => one.withinAim) * 100).toFixed(2)} %  ` +
      `shares ${results.map(({ shares }) => shares.map((share) => share.toFixed(2)).join('+')).join(' ')}  ` +
      `load ${results.map(({ loadAverage }) => loadAverage.toFixed(1)).join(' ')}`,
  );
}

try {
  const installations = [await createInstallation('empty'), await createInstallation('full')] as const;
  const [empty, full] = installations;
  console.log(
    `${endpoints} endpoints in ${partitions} partitions; each delivery refused ${refusals} times, then taken; steady: ${perSecond} retries per second for ${seconds} s; ` +
      `flood: ${flood} deliveries due at one instant; medians of ${repetitions}`,
  );
  const startedAtMs = performance.now();
  await fillFarFuture(full.postgres, waiting, full.endpoints);
  const [{ bytes = '0' } = {}] = await full.postgres.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  console.log(
    `${waiting} rows wait in '${full.name}': ${((performance.now() - startedAtMs) / 1e3).toFixed(0)} s, ${(Number(bytes) / 1e9).toFixed(1)} GB`,
  );
  const results = new Map<string, Record<LoadName, Result>[]>();
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    for (const installation of installations) {
      const result = await takeTurn(installation, repetition);
      results.set(installation.name, [...(results.get(installation.name) ?? []), result]);
      for (const load of loadNames) print(installation.name, load, [result[load]]);
    }
  }
  console.log('medians');
  for (const load of loadNames) {
    for (const [name, ofName] of results)
      print(
        name,
        load,
        ofName.map((result) => result[load]),
      );
    const [without = Number.NaN, filled = Number.NaN] = installations.map(({ name }) =>
      percentile(
        (results.get(name) ?? []).map((result) => result[load].perSecond),
        0.5,
      ),
    );
    console.log(`       full: ${(filled / without).toFixed(2)} times as many a second as empty`);
  }
  for (const [name, ofName] of results)
    console.log(`writes per retry, ${name}, steady: ${JSON.stringify(ofName.at(-1)?.steady.writes)}`);
  const medianOf = ({ name }: Installation, of: (result: Record<LoadName, Result>) => number): number =>
    percentile((results.get(name) ?? []).map(of), 0.5);
  const [late, lateEmpty] = [full, empty].map((each) =>
    medianOf(each, ({ steady }) => percentile(steady.lateMs, 0.99)),
  );
  const [most, mostEmpty] = [full, empty].map((each) => medianOf(each, (result) => result.flood.perSecond));
  const isPunctual = late !== undefined && late <= aimMs;
  record(
    `${waiting} waiting: late by p99 ${late?.toFixed(0)} ms, ${lateEmpty?.toFixed(0)} with none waiting${isPunctual ? '' : `, aim ${aimMs}: **missed**`}; ` +
      `${most?.toFixed(0)} retries a second, ${mostEmpty?.toFixed(0)} with none waiting`,
  );
  process.exitCode = isPunctual ? 0 : 1;
  for (const { postgres, world } of installations) {
    await world.stop();
    await removeAll(postgres);
    await postgres.stop();
  }
} finally {
  receiver.stop();
  await offsets.close();
  await stopServers();
}
