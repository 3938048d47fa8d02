/**
 * One connection that hears what others NOTIFY, for as long as the process runs:
 *
 *   connecting ──► listening ──► (connection lost, or silent) ──► connecting …
 *
 * A notification while nobody listens is lost, so `onListening` is called each time that listening begins: whoever waits for a change
 * looks for it then. From that call on no notification of a later commit is missed.
 *
 * The session must be the same from LISTEN on: vet-sessions.ts.
 */
import { type Clock, createPart, type Logger, type Part, untilAvailable } from '#lib/runtime';
import { clientOf, type PostgresAccess } from './access.ts';
import { fromPostgresError } from './errors.ts';

interface Options extends PostgresAccess {
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** A name that needs no quotes. */
  channel: string;
  clock: Clock;
  log: Logger;
  onListening(): void;
  onNotification(payload: string): void;
}

const connectTimeoutMs = 5_000;
/** A connection that a firewall has forgotten looks as if nothing were notified: it is tried at this pace. */
const tryEveryMs = 10_000;
const tryTimeoutMs = 5_000;

export function createListener(options: Options): Part {
  const { channel, clock, log } = options;
  const Client = clientOf(options);
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  /** Until the connection is lost: always throws, but for a stop. */
  async function listen(): Promise<void> {
    const client = new Client({
      application_name: options.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: tryTimeoutMs,
      keepAlive: true,
    });
    const over = new AbortController();
    const end = (): void => over.abort();
    stopping.signal.addEventListener('abort', end);
    // Without a listener, its end would end the process; the next statement says what became of it.
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ payload = '' }) => options.onNotification(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      options.onListening();
      for (;;) {
        await clock.sleep(tryEveryMs, over.signal);
        if (stopping.signal.aborted) return;
        await client.query('SELECT 1');
      }
    } catch (error) {
      throw fromPostgresError(error);
    } finally {
      stopping.signal.removeEventListener('abort', end);
      const ended = client.end().catch(() => undefined);
      // A connection that hangs may be long in ending.
      if (stopping.signal.aborted) await ended;
    }
  }

  const part = createPart(
    `listener ${channel}`,
    // A store that is away at the start is waited for like any other time.
    async () => {
      running = untilAvailable(listen, {
        clock,
        signal: stopping.signal,
        onAway: (error) => log.warn({ event: 'listener.connection_lost', channel, err: error }),
      }).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ event: 'listener.failed', channel, err: error });
      });
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
  return { ...part, stop: () => (stopping.abort(), part.stop()) };
}
