/**
 * The only importer of the Redis client. Redis never decides here, so nothing waits for it: every call is answered within its time limit or
 * fails as `redis_unavailable`, calls are not queued without a connection, none is sent twice, and after a failure no call is made for a
 * short while (see breaker.ts).
 *
 * A failed call may still be executed later: its commands can be on the wire. Callers must allow for that.
 */
import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Redis as Client, type RedisOptions as ClientOptions } from 'ioredis';
import type { ClientTls } from '#lib/net';
import { AppError, type Clock, createPart, fullJitterMs, isAppError, type Logger, type Part } from '#lib/runtime';
import type { Metrics } from '#lib/telemetry';
import type { RedisAccess } from './access.ts';
import { createBreaker } from './breaker.ts';
import { measureRedis } from './metrics.ts';
import { vetServer, type Vetting } from './vet-server.ts';

interface ExpiringValue {
  value: Buffer;
  /** Milliseconds since the epoch, by the server's clock. */
  expiresAtMs: number;
}

interface ExpiringEntry extends ExpiringValue {
  key: Buffer;
}

export interface Redis extends Part {
  /** In order, undefined for keys that are not there, or never expire. @throws AppError redis_unavailable */
  getMany(keys: readonly Buffer[]): Promise<(ExpiringValue | undefined)[]>;
  /**
   * Sets each key that does not exist, with its own expiry (`SET key value NX PXAT ms`), in one round trip; existing keys keep their
   * values.
   *
   * @throws AppError redis_unavailable: any of them may have been set nevertheless
   */
  setIfFree(entries: readonly ExpiringEntry[]): Promise<void>;
  /** Removes these keys. @throws AppError redis_unavailable: any of them may have been removed nevertheless */
  remove(keys: readonly Buffer[]): Promise<void>;
  /**
   * Runs a Lua script atomically; the server stores it, so that later calls send only its hash.
   *
   * @returns what the script returns: integers, texts, and lists of them
   * @throws AppError redis_unavailable: it may have run nevertheless
   */
  runScript(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
}

export interface RedisOptions extends RedisAccess {
  /** Shown in CLIENT LIST. */
  name: string;
  clock: Clock;
  log: Logger;
  /** Per call. Default 200. */
  timeLimitMs?: number;
  /** Time without calls after a failure. Default 1,000. */
  coolDownMs?: number;
  /** How often it is looked whether the server may still be used: its settings can be changed while it runs. Default 10,000. */
  vetEveryMs?: number;
  /** Time that `start` waits for a server before it continues without one. Default 2,000. */
  startTimeoutMs?: number;
  /** True if `start` does not fail because of a server that must not be used, but continues without it. Default false. */
  optional?: boolean;
  /** Left out if nobody reads them. */
  metrics?: Metrics;
}

const connectTimeoutMs = 2_000;
/** A connection without an answer for so long is dropped, with all calls that wait on it. */
const deadConnectionMs = 5_000;
/** Time for a connection that is closed to say QUIT. */
const disconnectTimeoutMs = 200;
const logRefusalEveryMs = 10_000;
const reconnect = { baseMs: 100, capMs: 2_000 };
/**
 * MGET with the expiries in one piece: eight bytes each, below 0 if there is none. A pipelined PEXPIRETIME per key costs this process four
 * times as much, expiries one by one a third more.
 */
const getManyScript = `
local expiries, found = {}, {}
for i, key in ipairs(KEYS) do
  local expires_at = redis.call('PEXPIRETIME', key)
  expiries[i] = struct.pack('>d', expires_at)
  found[i + 1] = expires_at >= 0 and redis.call('GET', key)
end
found[1] = table.concat(expiries)
return found`;
const getManySha1 = hash('sha1', getManyScript);

/**
 * `start` waits a little for the server, then continues without it.
 *
 * @throws AppError config_invalid from `start` if the server answers, but must not be used: too old, or evicting
 */
export function createRedis(options: RedisOptions): Redis {
  const { clock, log, timeLimitMs = 200, coolDownMs = 1_000, vetEveryMs = 10_000, startTimeoutMs = 2_000 } = options;
  const stopping = new AbortController();
  const firstVetting = Promise.withResolvers<Vetting>();
  let usable = false;
  /** The last call was answered. */
  let answering = true;
  let logRefusalAtMs = -Infinity;
  let lastError: unknown;

  const client = new Client(options.url, {
    lazyConnect: true,
    connectionName: options.name,
    connectTimeout: connectTimeoutMs,
    socketTimeout: deadConnectionMs,
    disconnectTimeout: disconnectTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Fails unanswered calls as soon as the connection is lost.
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => 20 + fullJitterMs(reconnect, times - 1, Math.random),
    ...connectionOptions(options),
  });
  if (options.tls !== undefined) ignoreLateErrors(client);
  // Without a listener the client prints to the console. Reported at the next failed call instead of at each connection attempt.
  client.on('error', (error: Error & { cert?: unknown }) => {
    // Kilobytes for a line of the log: the certificate that does not match the host name.
    delete error.cert;
    lastError = error;
  });
  client.on('close', () => (usable = false));
  client.on('ready', () => {
    const closed = new AbortController();
    client.once('close', () => closed.abort());
    void vetUntil(closed.signal);
  });
  /**
   * No rounds of a part: it begins and ends with each connection. An old connection's check must not reach the next one: `disconnect` while
   * the client asks a sentinel ends the client for good.
   */
  const vetUntil = async (closed: AbortSignal): Promise<void> => {
    let reported: string | undefined;
    while (!closed.aborted) {
      let vetting: Vetting;
      try {
        vetting = await vetServer(client);
      } catch (error) {
        lastError = error;
        if (!closed.aborted) client.disconnect(true);
        return;
      }
      firstVetting.resolve(vetting);
      if (closed.aborted) return;
      usable = vetting.ok && client.status === 'ready';
      answering = true;
      const problem = vetting.ok ? vetting.unchecked : vetting.problem;
      if (problem !== undefined && problem !== reported) {
        if (vetting.ok) log.warn({ event: 'redis.unchecked', problem });
        else log.error({ event: 'redis.refused', problem });
      }
      reported = problem;
      await clock.sleepUntilNext(vetEveryMs, closed);
    }
  };

  const meter = measureRedis(options.metrics, () => usable && answering);
  const breaker = createBreaker({
    clock,
    coolDownMs,
    onOpen: (cause) => log.warn({ event: 'redis.away', err: cause }),
    onClose: () => log.info({ event: 'redis.back' }),
    onRefusal: () => meter.refused(),
  });

  const withinLimit = async <T>(work: Promise<T>): Promise<T> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopLimit = clock.startLimit(timeLimitMs, () => {
      // One more turn: if this process was the one that froze, the answer is already in the socket.
      setImmediate(() => reject(new AppError('redis_unavailable', `Redis did not answer within ${timeLimitMs} ms`)));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      stopLimit();
    }
  };

  const call = <T>(work: () => Promise<T>): Promise<T> =>
    breaker.run(async () => {
      const ended = meter.begin();
      try {
        if (!usable) throw new AppError('redis_unavailable', 'Redis is not connected', { cause: lastError });
        const result = await withinLimit(work());
        ended('answered');
        answering = true;
        return result;
      } catch (error) {
        ended('failed');
        answering = false;
        if (isAppError(error)) throw error;
        throw new AppError('redis_unavailable', `Redis: ${(error as Error).message}`, { cause: error });
      }
    });

  const part = createPart(
    'redis',
    async () => {
      client.connect().catch(() => undefined);
      const vetting = await Promise.race([firstVetting.promise, clock.sleep(startTimeoutMs, stopping.signal)]);
      if (vetting === undefined) log.warn({ event: 'redis.away', err: lastError });
      else if (!vetting.ok && options.optional !== true) throw new AppError('config_invalid', vetting.problem);
    },
    async () => {
      stopping.abort();
      const ended = new Promise((resolve) => client.once('end', resolve));
      // Between two tries there is no socket, and so no event to wait for.
      const connected = !['reconnecting', 'end'].includes(client.status);
      client.disconnect();
      if (connected) await ended;
    },
  );

  return {
    ...part,
    getMany: (keys) =>
      call(async () => {
        const given = [keys.length, ...keys] as const;
        const found = await knownOrWhole(client.callBuffer('EVALSHA', getManySha1, ...given), () =>
          client.callBuffer('EVAL', getManyScript, ...given),
        );
        const [expiries, ...values] = found as [Buffer, ...(Buffer | null)[]];
        return values.map((value, index) =>
          value === null ? undefined : { value, expiresAtMs: expiries.readDoubleBE(8 * index) },
        );
      }),
    async setIfFree(entries) {
      const answers = await call(async () => {
        const pipeline = client.pipeline();
        for (const { key, value, expiresAtMs } of entries) pipeline.set(key, value, 'PXAT', expiresAtMs, 'NX');
        return (await pipeline.exec()) ?? [];
      });
      const refusal = answers.find(([error]) => error !== null)?.[0];
      if (!refusal) return;
      // A full server still answers what it has, so this counts as an answer.
      if (clock.monotonicMs() >= logRefusalAtMs) {
        log.warn({ event: 'redis.write_refused', err: refusal });
        logRefusalAtMs = clock.monotonicMs() + logRefusalEveryMs;
      }
      throw new AppError('redis_unavailable', `Redis: ${refusal.message}`, { cause: refusal });
    },
    async remove(keys) {
      if (keys.length > 0) await call(() => client.del(...keys));
    },
    runScript: (script, keys, args) =>
      call(() => {
        const given = [keys.length, ...keys, ...args] as const;
        return knownOrWhole(client.evalsha(hash('sha1', script), ...given), () => client.eval(script, ...given));
      }),
  };
}

/**
 * With sentinels, each connection asks them for the master and then the server whether it is one, so after a failover the new master is found
 * like a server that is back.
 */
function connectionOptions({ tls, sentinels }: RedisAccess): ClientOptions {
  const secured = tls && { tls: renewed(tls), sentinelTLS: renewed(tls), enableTLSForSentinelMode: true };
  if (sentinels === undefined) return { ...secured };
  return {
    ...secured,
    sentinels: [...sentinels.addresses],
    name: sentinels.master,
    ...(sentinels.password !== '' && { sentinelPassword: sentinels.password }),
    sentinelCommandTimeout: connectTimeoutMs,
    // Where none answers. It must be a number: otherwise the client would give up for good.
    sentinelRetryStrategy: (times) => 20 + fullJitterMs(reconnect, times - 1, Math.random),
  };
}

/** The client listens for one error of a socket. A refused certificate may make two, and the second would end the process. */
function ignoreLateErrors(client: Client): void {
  const { connector } = client as unknown as { connector: { connect(emit: unknown): Promise<Socket> } };
  const connect = connector.connect.bind(connector);
  connector.connect = async (emit) => (await connect(emit)).on('error', () => undefined);
}

/** The client copies these options for each connection, and so reads renewed files. */
const renewed = (tls: ClientTls): ConnectionOptions => ({
  minVersion: 'TLSv1.2',
  get ca() {
    return tls.options().ca;
  },
});

/** A new or emptied server does not have the script. */
async function knownOrWhole(byHash: Promise<unknown>, whole: () => Promise<unknown>): Promise<unknown> {
  try {
    return await byHash;
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return whole();
  }
}
