import {
  createPostgresStore,
  createRedisResponses,
  type IdempotencyStore,
  rememberingStore,
  sweepExpiredKeys,
} from '#lib/idempotency';
import type { Postgres } from '#lib/postgres';
import type { Redis } from '#lib/redis';
import { inRounds, type Part, randomPool } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import type { ApiConfig } from '../config.ts';

const sweepEveryMs = 600_000;
/** Deleted within some milliseconds. */
const sweptAtOnce = 500;

/** Dependencies of the app for idempotency keys. */
export interface IdempotencyDeps {
  store: IdempotencyStore;
  lockSeconds: number;
}

interface Deps {
  postgres: Postgres;
  redis: Redis;
  secretBox: SecretBox;
}

/** The store: Postgres with copies in Redis, and the sweep of expired records. */
export function openIdempotency(
  config: ApiConfig,
  { clock, log, crashPoints }: ServiceContext,
  { postgres, redis, secretBox }: Deps,
): { idempotency: IdempotencyDeps; sweep: Part } {
  const { idempotencyLockSeconds: lockSeconds, idempotencyTtlSeconds: ttlSeconds, topicPrefix: prefix } = config;
  const store = rememberingStore({
    store: createPostgresStore({ postgres, secretBox, random: randomPool, lockSeconds, ttlSeconds, crashPoints }),
    memory: createRedisResponses({ redis, prefix, secretBox, clock }),
    ttlSeconds,
  });
  // A late removal costs only room: expired records are ignored.
  const sweep = async (signal: AbortSignal): Promise<void> => {
    for (let swept = sweptAtOnce; swept === sweptAtOnce && !signal.aborted;)
      swept = await sweepExpiredKeys(postgres, sweptAtOnce);
  };
  return {
    idempotency: { store, lockSeconds },
    sweep: inRounds(sweep, { name: 'sweep of idempotency keys', everyMs: sweepEveryMs, clock, log }),
  };
}
