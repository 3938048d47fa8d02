import { createPools, directoryPool, postgresAccess } from '#lib/postgres';
import { createRedis, redisAccess } from '#lib/redis';
import type { ReplayLane } from '#lib/replay-store';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from './config.ts';
import { createKafkaClient } from './kafka-client.ts';
import { waitingSessionSettings } from './waiting/lanes-with-rows.ts';

const name = 'hookline-dispatcher';
/** For deliveries that may have been sent before, sent rows, ordered rows and endpoints to disable. */
const maxConnections = 4;
/** Pools of their own: deliveries never wait for replays, and replays of one item do not wait for the others. */
const replayConnections: Readonly<Record<ReplayLane, number>> = { single: 1, bulk: 2 };
/** Rows of `waiting` are read lane by lane, one read at a time; ordered rows are read in parallel. */
const indexScanConnections = 2;
const statementTimeoutMs = 5_000;
/** Rows that are locked for longer delay their own tenant: the transaction of many is divided (ordered-rows.ts), or leaves them out. */
const lockTimeoutMs = 200;

/** Pools of Postgres by their use, Redis, and the way to Kafka. Connections open on demand. */
export function buildConnections(
  config: DispatcherConfig,
  { clock, log, metrics }: Pick<ServiceContext, 'clock' | 'log' | 'metrics'>,
) {
  const openPool = createPools({ ...postgresAccess(config), name, log, metrics });
  return {
    kafka: createKafkaClient(config, name, { clock, log, metrics }),
    postgres: openPool({ maxConnections, statementTimeoutMs, lockTimeoutMs }),
    /** Its sessions read along indexes alone (waiting/lanes-with-rows.ts). */
    indexScanPool: openPool({
      use: 'waiting',
      maxConnections: indexScanConnections,
      statementTimeoutMs,
      sessionSettings: waitingSessionSettings,
    }),
    replayPools: {
      single: openPool({ use: 'replay-single', maxConnections: replayConnections.single, statementTimeoutMs }),
      bulk: openPool({ use: 'replay-bulk', maxConnections: replayConnections.bulk, statementTimeoutMs }),
    },
    directoryPool: openPool(directoryPool),
    redis: createRedis({ ...redisAccess(config), name, clock, log, optional: true, metrics }),
  };
}
