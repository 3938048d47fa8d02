import { createPostgres, type Postgres } from '#lib/postgres';
import { createRedis } from '#lib/redis';
import type { ReplayLane } from '#lib/replay-store';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from './config.ts';
import { waitingSessionSettings } from './waiting/lanes-with-rows.ts';
import { createKafkaClient } from './kafka-client.ts';

const name = 'hookline-dispatcher';
/** For deliveries that may have been sent before, sent rows, ordered rows and endpoints to disable. */
const maxConnections = 4;
/** Pools of their own: deliveries never wait for replays, and replays of one item do not wait for the others. */
const replayConnections: Readonly<Record<ReplayLane, number>> = { single: 1, bulk: 2 };
/** Rows of `waiting` are read lane by lane, one read at a time; ordered rows are read in parallel. */
const indexScanConnections = 2;
const statementTimeoutMs = 5_000;
/** Only a dead connection takes so long: a page of the directory takes milliseconds, and nobody waits for it. */
const directoryTimeoutMs = 30_000;

/** Pools of Postgres by their use, Redis, and the way to Kafka. Connections open on demand. */
export function buildConnections(
  config: DispatcherConfig,
  { clock, log, metrics }: Pick<ServiceContext, 'clock' | 'log' | 'metrics'>,
) {
  const pool = (use: string, options: Partial<Parameters<typeof createPostgres>[0]>): Postgres =>
    createPostgres({
      url: config.databaseUrl,
      applicationName: `${name}${use}`,
      maxConnections: 1,
      statementTimeoutMs,
      log,
      metrics,
      ...options,
    });
  return {
    kafka: createKafkaClient(config, name, { clock, log, metrics }),
    postgres: pool('', { maxConnections }),
    /** Its sessions read along indexes alone (waiting/lanes-with-rows.ts). */
    indexScanPool: pool('-waiting', {
      maxConnections: indexScanConnections,
      sessionSettings: waitingSessionSettings,
    }),
    replayPools: {
      single: pool('-replay-single', { maxConnections: replayConnections.single }),
      bulk: pool('-replay-bulk', { maxConnections: replayConnections.bulk }),
    },
    directoryPool: pool('-directory', { statementTimeoutMs: directoryTimeoutMs }),
    redis: createRedis({ url: config.redisUrl, name, clock, log, optional: true, metrics }),
  };
}
