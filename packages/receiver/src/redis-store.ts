import { durationsOf, type OnceOptions, type OnceStore } from './accept-once.ts';

/** A connected client: `ioredis` (`call`), or `redis` (`sendCommand`). */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> };

export interface RedisStoreOptions extends OnceOptions {
  /** Before the id in each key. Receivers that share a Redis, and each handle a webhook, need one each. Default: `hookline:once:`. */
  keyPrefix?: string | undefined;
}

const done = 'done';

/** -1 for done, 0 for claimed, else the milliseconds that are left of another's lease. */
const claimScript = `
local held = redis.call('GET', KEYS[1])
if held == '${done}' then return -1 end
if held and held ~= ARGV[1] then return math.max(1, redis.call('PTTL', KEYS[1])) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0`;

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/**
 * Ids as keys that expire: one round trip before the handler, one after it. What Redis forgets (a failover, an eviction, a restart without
 * a disk) can be handled again: set `maxmemory-policy noeviction`, or take `postgresStore`.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): OnceStore {
  const { leaseMs, rememberMs } = durationsOf(options);
  const { keyPrefix = 'hookline:once:' } = options;
  const send = (command: string, ...args: string[]): Promise<unknown> =>
    'call' in client ? client.call(command, ...args) : client.sendCommand([command, ...args]);
  const run = (script: string, id: string, ...args: string[]) => send('EVAL', script, '1', keyPrefix + id, ...args);
  return {
    leaseMs,
    async claim(id, token) {
      const answer = Number(await run(claimScript, id, `lease:${token}`, String(leaseMs)));
      if (answer < 0) return { state: 'done' };
      return answer === 0 ? { state: 'claimed' } : { state: 'leased', remainingMs: answer };
    },
    async complete(id) {
      await send('SET', keyPrefix + id, done, 'PX', String(rememberMs));
    },
    async release(id, token) {
      await run(releaseScript, id, `lease:${token}`);
    },
  };
}
