/** A projector process that finds the records of delivered webhooks on their topics, and projects them all. */
import { groupOf, readSchema } from '#lib/contract';
import { createAttemptCodec, createEventCodec } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import type { World } from '../../integration/dispatcher/world.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { sumOfMetric } from '../../support/read-counters.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { processorSeconds, processorSecondsOfFamily } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';
import { serverPids } from '../support/server-pids.ts';
import { type DeliveredWebhook, inOrder, tenants } from './records.ts';

export interface ProjectorTurn {
  /** Events that were projected in the time measured. */
  events: number;
  seconds: number;
  processorSeconds: number;
  postgresSeconds: number;
  /** Seconds of the sessions that hold the tenant's clock: no two of them do anything at once. */
  clockSeconds: number;
  /** Counts of Postgres, as the projector asks and as Postgres counts. */
  statements: number;
  transactions: number;
}

const writtenAtOnce = 3_000;
const committedWithinMs = 900_000;
const readyWithinMs = 60_000;
const stopWithinMs = 20_000;

export async function writeAll(world: World, webhooks: readonly DeliveredWebhook[]): Promise<void> {
  const options = { registryUrl: serverAddresses().schemaRegistryUrl, clock: systemClock, log: silentLogger };
  const { events, 'delivery.attempts': attempts } = world.topics;
  const eventCodec = createEventCodec({ ...options, topic: events, schema: readSchema('events') });
  const attemptCodec = createAttemptCodec({ ...options, topic: attempts, schema: readSchema('delivery.attempts') });
  await Promise.all([eventCodec.start(), attemptCodec.start()]);
  const send = (topic: string, key: string, value: Buffer) => world.producer.send({ topic, key, value, headers: {} });
  await inTurns(webhooks, ({ event }) => send(events, event.id, eventCodec.encode(event)));
  await inTurns([...inOrder(webhooks)], (record) => send(attempts, record.event_id, attemptCodec.encode(record)));
  await Promise.all([eventCodec.stop(), attemptCodec.stop()]);
}

async function inTurns<T>(all: readonly T[], send: (each: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += writtenAtOnce)
    await Promise.all(all.slice(from, from + writtenAtOnce).map(send));
}

/** From when it is ready until the last record is committed. */
export async function runProjector(world: World, profileFile?: string): Promise<ProjectorTurn> {
  const topics = [world.topics.events, world.topics['delivery.attempts']];
  const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
  const projector = await world.spawnService('projector', profileFile === undefined ? {} : profilingInto(profileFile));
  const { postgres: postgresPid } = serverPids();
  const completed = async (): Promise<number> => {
    const [row] = await world.postgres.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM events WHERE tenant = $1 AND status = 'completed'`,
      [tenants.projected],
    );
    return row?.count ?? 0;
  };
  const transactions = async (): Promise<number> => {
    const [row] = await world.postgres.query<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.count ?? 0);
  };
  const statements = (): Promise<number> =>
    sumOfMetric(`${projector.adminUrl}/metrics`, 'hookline_postgres_query_seconds_count');
  const clockSeconds = async (): Promise<number> => {
    const sessions = await world.postgres.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hookline-projector'`,
    );
    return sessions.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  };
  const ends = await offsets.ends(topics);
  const behind = async (): Promise<number> => {
    let records = 0;
    for (const topic of topics) {
      const committed = await offsets.committed(groupOf(world.topicPrefix, 'projector'), topic);
      for (const [partition, end] of Object.entries(ends))
        if (partition.startsWith(`${topic}-`)) records += Math.max(0, end - (committed[partition] ?? 0));
    }
    return records;
  };
  await projector.ready(readyWithinMs);
  const startMs = performance.now();
  const [ownBefore, postgresBefore] = [processorSeconds(projector.pid), processorSecondsOfFamily(postgresPid)];
  const [eventsBefore, statementsBefore, transactionsBefore] = [
    await completed(),
    await statements(),
    await transactions(),
  ];
  let left = 0;
  await waitUntil('the projector has committed every record', async () => (left = await behind()) === 0, {
    timeoutMs: committedWithinMs,
    everyMs: 100,
    describe: () => `${left} records are not committed`,
  });
  const seconds = (performance.now() - startMs) / 1_000;
  const turn = {
    seconds,
    processorSeconds: processorSeconds(projector.pid) - ownBefore,
    postgresSeconds: processorSecondsOfFamily(postgresPid) - postgresBefore,
    clockSeconds: await clockSeconds(),
    statements: (await statements()) - statementsBefore,
    events: (await completed()) - eventsBefore,
  };
  // Connections tell of their last transactions when they end.
  await projector.stop(stopWithinMs);
  await offsets.close();
  return { ...turn, transactions: (await transactions()) - transactionsBefore };
}
