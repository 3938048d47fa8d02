/**
 * Compares the cost of `POST /v1/events` with that of the bare insert of the same rows.
 *
 * In turns: the bare insert, then one process of the API, asked by one tenant over 64 connections, each request with a key of its own. A turn's
 * cost is read when its last event is published: the outbox is a part of it. In the end every event that was answered for is in the tables
 * and on the topic.
 */
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { quantile, sumLatencies } from '../../support/load/latencies.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { createTopicFollower } from '../../support/topic-follower.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { withDatabase } from '../../support/with-database.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { inProcess } from '../support/in-process.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import { processorSeconds, processorSecondsOfFamily } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';
import { serverPids } from '../support/server-pids.ts';
import { type Drivers, driversEach, readDrivers } from '../whole/drivers.ts';
import { insertBare } from './bare-inserts.ts';
import type { PublishJob, PublishReport } from './publishers-process.ts';

type Settings = 'seconds' | 'turns' | 'connections' | 'bytes';

const tenant = 'publisher';
/** The type of what publishers-process.ts publishes. */
const publishedType = 'order.paid';
const bareTenant = 'bare';
const warmUpSeconds = 5;
const publishedTimeoutMs = 120_000;
const publishers = join(import.meta.dirname, 'publishers-process.ts');

export const publishingBench = benchOf(
  'publishing',
  'POST /v1/events with a key, one tenant, beside the bare insert of the same rows',
  async () => undefined,
);

/** The same where each payload is checked against the schema of its type: to be compared with `publishing` of the same machine. */
export const enforcedBench = benchOf(
  'enforced',
  'the same as publishing, of a type with `enforce: reject`: each payload is checked against its schema',
  async ({ apiUrl, adminKey }) => {
    const schema = { type: 'object', required: ['key'], properties: { key: { type: 'string' }, padding: {} } };
    const response = await fetch(`${apiUrl}/v1/event-types`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminKey}`,
        'hookline-tenant': tenant,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: publishedType, enforce: 'reject', schema }),
    });
    if (response.status !== 201) throw new Error(`the type was not created: ${await response.text()}`);
  },
);

/** @param prepare makes what the tenant has before its first event */
function benchOf(name: string, says: string, prepare: (stack: Pipeline['stack']) => Promise<void>): Bench<Settings> {
  return {
    name,
    says,
    numbers: { seconds: 10, turns: 3, connections: 64, bytes: 2_048 },
    run: onTestServers(async (begun) => {
      const profileFile = join(hooklineDir, 'profiles', `${name}-${process.pid}.cpuprofile`);
      const pipeline = await createPipeline({
        servers: serverAddresses(),
        topicPrefix: uniquePrefix(name),
        databaseUrl: await createDatabase(),
        services: ['api'],
        env: { HOOKLINE_LOG_LEVEL: 'warn', ...(begun.profile && profilingInto(profileFile)) },
      });
      let report: BenchReport;
      try {
        await pipeline.start();
        await prepare(pipeline.stack);
        report = await measure(pipeline, begun);
      } catch (error) {
        begun.say(pipeline.describe());
        throw error;
      } finally {
        await pipeline.stop();
      }
      return begun.profile ? { ...report, notes: [...report.notes, describeProfile(profileFile)] } : report;
    }),
  };
}

interface Turn {
  perSecond: number;
  /** Processor time an event, in milliseconds. */
  api: number;
  postgres: number;
  kafka: number;
  redis: number;
  walBytes: number;
  drivers: readonly (readonly [name: string, each: number])[];
  report: PublishReport;
}

interface BareTurn {
  perSecond: number;
  postgres: number;
  walBytes: number;
}

async function measure(pipeline: Pipeline, { numbers, say }: BegunBench<Settings>): Promise<BenchReport> {
  const { seconds, turns, connections, bytes } = numbers;
  const { stack } = pipeline;
  const ids = new Set<string>();
  const answers: Record<string, number> = {};

  const publish = async (name: string, forSeconds: number): Promise<PublishReport> => {
    const { apiUrl, adminKey } = stack;
    const job = { name, apiUrl, adminKey, tenant, seconds: forSeconds, connections, payloadBytes: bytes };
    const report = await inProcess<PublishJob, PublishReport>(publishers, job);
    for (const id of report.ids) ids.add(id);
    for (const [status, count] of Object.entries(report.answers)) answers[status] = (answers[status] ?? 0) + count;
    await waitUntil('all is published', async () => (await countRows(stack.databaseUrl, 'outbox', tenant)) === 0, {
      timeoutMs: publishedTimeoutMs,
      everyMs: 100,
    });
    return report;
  };
  const turn = async (name: string): Promise<Turn> => {
    const before = await readSpent(pipeline);
    const report = await publish(name, seconds);
    const after = await readSpent(pipeline);
    const events = report.ids.length;
    const each = (of: 'api' | 'postgres' | 'kafka' | 'redis'): number => ((after[of] - before[of]) * 1_000) / events;
    return {
      perSecond: events / report.seconds,
      report,
      walBytes: (after.wal - before.wal) / events,
      api: each('api'),
      postgres: each('postgres'),
      kafka: each('kafka'),
      redis: each('redis'),
      drivers: driversEach(before.drivers, after.drivers, events),
    };
  };
  const bareTurn = async (): Promise<BareTurn> => {
    const before = await readSpent(pipeline);
    const inserted = await insertBare({
      databaseUrl: stack.databaseUrl,
      tenant: bareTenant,
      seconds: seconds / 2,
      group: connections,
      payloadBytes: bytes,
    });
    const after = await readSpent(pipeline);
    // Keeps these out of the outbox: nobody should publish them, or search among them.
    await withDatabase(stack.databaseUrl, (postgres) =>
      postgres.query(`DELETE FROM outbox WHERE tenant = $1`, [bareTenant]),
    );
    return {
      perSecond: inserted.events / inserted.seconds,
      postgres: ((after.postgres - before.postgres) * 1_000) / inserted.events,
      walBytes: (after.wal - before.wal) / inserted.events,
    };
  };

  await publish('warm-up', warmUpSeconds);
  const [bare, ours]: [BareTurn[], Turn[]] = [[], []];
  for (let number = 1; number <= turns; number += 1) {
    bare.push(await bareTurn());
    ours.push(await turn(`turn-${number}`));
    say(`turn ${number}: bare insert ${describeBare(bare.at(-1))}; ${describeTurn(ours.at(-1))}`);
  }

  const unaccounted = await findMissing(pipeline, ids);
  const latencies = sumLatencies(ours.map(({ report }) => report.latencies));
  /** All together that begin so. */
  const driversOf = (name: string): number[] =>
    ours.map(({ drivers }) => drivers.reduce((sum, [each, count]) => sum + (each.startsWith(name) ? count : 0), 0));
  return {
    setUp:
      `events of ${bytes} bytes of one tenant, each with a key of its own, over ${connections} connections, ${turns} turns of ${seconds} s; ` +
      `one process of the API, one broker; the bare insert in groups of ${connections} over one connection`,
    figures: [
      {
        name: 'acknowledged',
        unit: 'a second',
        values: ours.map(({ perSecond }) => perSecond),
        ceiling: { name: 'bare insert', values: bare.map(({ perSecond }) => perSecond) },
      },
      {
        name: 'processor time in all',
        unit: 'ms an event',
        aim: { atMost: 2 },
        values: ours.map(({ api, postgres, kafka, redis }) => api + postgres + kafka + redis),
      },
      { name: 'processor time of the api', unit: 'ms an event', values: ours.map(({ api }) => api), isDetail: true },
      {
        name: 'processor time of Postgres',
        unit: 'ms an event',
        values: ours.map(({ postgres }) => postgres),
        ceiling: { name: 'bare insert', values: bare.map(({ postgres }) => postgres) },
      },
      { name: 'processor time of Kafka', unit: 'ms an event', values: ours.map(({ kafka }) => kafka), isDetail: true },
      { name: 'processor time of Redis', unit: 'ms an event', values: ours.map(({ redis }) => redis), isDetail: true },
      { name: 'statements', unit: 'an event', values: driversOf('Postgres statements'), isDetail: true },
      { name: 'transactions', unit: 'an event', values: driversOf('Postgres transactions'), isDetail: true },
      {
        name: 'WAL',
        unit: 'bytes an event',
        values: ours.map(({ walBytes }) => walBytes),
        ceiling: { name: 'bare insert', values: bare.map(({ walBytes }) => walBytes) },
      },
      { name: 'acknowledged, p50', unit: 'ms', values: [quantile(latencies, 0.5)] },
      { name: 'acknowledged, p99', unit: 'ms', values: [quantile(latencies, 0.99)] },
    ],
    notes: [
      `answers: ${JSON.stringify(answers)}; ${ids.size} events, each in the tables and on the topic but those told below`,
      `an event: ${(ours.at(-1)?.drivers ?? []).map(([name, each]) => `${name} ${each.toFixed(3)}`).join(', ')}`,
    ],
    unaccounted,
  };
}

interface Spent {
  api: number;
  postgres: number;
  kafka: number;
  redis: number;
  wal: number;
  drivers: Drivers;
}

async function readSpent(pipeline: Pipeline): Promise<Spent> {
  const servers = serverPids();
  const wal = await withDatabase(pipeline.stack.databaseUrl, async (postgres) => {
    const [row] = await postgres.query<{ bytes: string }>(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`);
    return Number(row?.bytes ?? 0);
  });
  return {
    api: processorSeconds(pipeline.processIds()['api'] ?? 0),
    postgres: processorSecondsOfFamily(servers.postgres),
    kafka: processorSeconds(servers.kafka),
    redis: processorSeconds(servers.redis),
    wal,
    drivers: await readDrivers(pipeline, ['api']),
  };
}

const countRows = (databaseUrl: string, table: string, ofTenant: string): Promise<number> =>
  withDatabase(databaseUrl, async (postgres) => {
    const [row] = await postgres.query<{ count: string }>(`SELECT count(*) FROM ${table} WHERE tenant = $1`, [
      ofTenant,
    ]);
    return Number(row?.count ?? 0);
  });

async function findMissing({ stack }: Pipeline, ids: ReadonlySet<string>): Promise<string[]> {
  const follower = createTopicFollower(stack);
  await follower.start();
  // oxlint-disable-next-line typescript/no-misused-promises
  const { events } = await follower.contents().finally(() => follower.stop());
  const onTopic = new Set(events.map(({ id }) => id));
  const missing = [...ids].filter((id) => !onTopic.has(id)).length;
  const inTables = await countRows(stack.databaseUrl, 'events', tenant);
  const found: string[] = [];
  if (missing > 0) found.push(`${missing} of ${ids.size} events that were answered for are not on the topic`);
  // Each request has a key of its own, and none is sent again.
  if (inTables !== ids.size) found.push(`${inTables} events in the tables, ${ids.size} answered for`);
  return found;
}

const describeTurn = (turn: Turn | undefined): string =>
  turn === undefined
    ? ''
    : `api ${turn.perSecond.toFixed(0)} a second; ms an event: api ${turn.api.toFixed(2)}, Postgres ${turn.postgres.toFixed(2)}, ` +
      `Kafka ${turn.kafka.toFixed(2)}, Redis ${turn.redis.toFixed(2)}; ${turn.walBytes.toFixed(0)} bytes of WAL`;
const describeBare = (turn: BareTurn | undefined): string =>
  turn === undefined
    ? ''
    : `${turn.perSecond.toFixed(0)} a second, Postgres ${turn.postgres.toFixed(2)} ms, ${turn.walBytes.toFixed(0)} bytes of WAL`;
