/**
 * The only importer of the Redis client. Redis is never what decides here, so nothing waits for it: every call is answered within its
 * time limit or fails as `redis_unavailable`, calls are not queued while there is no connection, none is sent twice, and after a failure
 * nobody asks for a short while (see breaker.ts).
 *
 * A call that failed may still be carried out later: its commands can be on the wire. Callers must be able to live with that.
 */
import { Redis as Client } from 'ioredis';
import { fullJitterMs } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { AppError, isAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { createBreaker } from './breaker.ts';
import { vetServer, type Vetting } from './vet-server.ts';

export interface ExpiringEntry {
  key: Buffer;
  value: Buffer;
  /** Milliseconds since the epoch, by the server's clock. */
  expiresAtMs: number;
}

export interface Redis extends Part {
  /** In order, undefined for keys that are not there. @throws AppError redis_unavailable */
  getMany(keys: readonly Buffer[]): Promise<(Buffer | undefined)[]>;
  /**
   * Sets each key that is free, with an expiry of its own (`SET key value NX PXAT ms`), in one round trip; a key that is there keeps its value.
   *
   * @throws AppError redis_unavailable: any of them may have been set all the same
   */
  setIfFree(entries: readonly ExpiringEntry[]): Promise<void>;
}

export interface RedisOptions {
  url: string;
  /** Shown in CLIENT LIST. */
  name: string;
  clock: Clock;
  log: Logger;
  /** Per call. Default 200. */
  timeLimitMs?: number;
  /** How long nobody asks after a failure. Default 1,000. */
  coolDownMs?: number;
  /** How long `start` waits for a server before it goes on without one. Default 2,000. */
  startTimeoutMs?: number;
}

const connectTimeoutMs = 2_000;
/** A connection on which nothing is answered for so long is dropped, and with it what waits on it. */
const deadConnectionMs = 5_000;
/** What a connection that is closed has for its goodbye. */
const disconnectTimeoutMs = 200;
const reconnect = { baseMs: 100, capMs: 2_000 };
/** A server that may not be used is looked at again: its settings can be changed while it runs. */
const refusedAgainMs = 10_000;

/**
 * `start` waits a little for the server and goes on without it.
 *
 * @throws AppError config_invalid from `start` where the server answers, but must not be used: too old, or evicting
 */
export function createRedis(options: RedisOptions): Redis {
  const { clock, log, timeLimitMs = 200, coolDownMs = 1_000, startTimeoutMs = 2_000 } = options;
  const stopping = new AbortController();
  const firstVetting = Promise.withResolvers<Vetting>();
  let usable = false;
  let lastError: unknown;

  const client = new Client(options.url, {
    lazyConnect: true,
    connectionName: options.name,
    connectTimeout: connectTimeoutMs,
    socketTimeout: deadConnectionMs,
    disconnectTimeout: disconnectTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Ends what is unanswered as soon as the connection is lost.
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => 20 + fullJitterMs(reconnect, times - 1, Math.random),
  });
  // Without a listener the client prints to the console. Told at the next failed call instead of at each try to connect.
  client.on('error', (error: Error) => (lastError = error));
  client.on('close', () => (usable = false));
  client.on('ready', () => void vet());

  const vet = async (): Promise<void> => {
    try {
      const vetting = await vetServer(client);
      firstVetting.resolve(vetting);
      usable = vetting.ok;
      if (!vetting.ok) {
        log.error({ event: 'redis.refused', problem: vetting.problem });
        await clock.sleep(refusedAgainMs, stopping.signal);
        if (!stopping.signal.aborted) client.disconnect(true);
      } else if (vetting.unchecked !== undefined) log.warn({ event: 'redis.unchecked', problem: vetting.unchecked });
    } catch (error) {
      lastError = error;
      client.disconnect(true);
    }
  };

  const breaker = createBreaker({
    clock,
    coolDownMs,
    onOpen: (cause) => log.warn({ event: 'redis.away', err: cause }),
    onClose: () => log.info({ event: 'redis.back' }),
  });

  const withinLimit = async <T>(work: Promise<T>): Promise<T> => {
    const ended = new AbortController();
    const limit = clock.sleep(timeLimitMs, ended.signal).then(async () => {
      // One more turn: where it was this process that stood still, the answer lies in the socket already.
      if (!ended.signal.aborted) await new Promise(setImmediate);
      throw new AppError('redis_unavailable', `Redis did not answer within ${timeLimitMs} ms`);
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      ended.abort();
    }
  };

  const call = <T>(work: () => Promise<T>): Promise<T> =>
    breaker.run(async () => {
      try {
        if (!usable) throw new AppError('redis_unavailable', 'Redis is not connected', { cause: lastError });
        return await withinLimit(work());
      } catch (error) {
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
      else if (!vetting.ok) throw new AppError('config_invalid', vetting.problem);
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
        const values = await client.mgetBuffer([...keys]);
        return values.map((value) => value ?? undefined);
      }),
    setIfFree: (entries) =>
      call(async () => {
        const pipeline = client.pipeline();
        for (const { key, value, expiresAtMs } of entries) pipeline.set(key, value, 'PXAT', expiresAtMs, 'NX');
        const answers = (await pipeline.exec()) ?? [];
        const refusal = answers.find(([error]) => error !== null)?.[0];
        if (refusal) throw refusal;
      }),
  };
}
