/**
 * Whether a connection to Postgres is a session of its own. Through a pooler in transaction mode it is not: each transaction may run in
 * another session, so settings, LISTEN, prepared statements and advisory locks end up anywhere, also with other users of the pooler.
 *
 * A pooler is noticed by the process id that it gives a connection at the start, which is not that of the session. Whether it keeps a session
 * for each connection is then tried with two connections that take turns: they must have different sessions, and the same one each time.
 */
import type pg from 'pg';
import { type PostgresAccess, clientOf } from './access.ts';

export interface SessionVetting {
  /**
   * Asks the server until it may be used.
   *
   * @returns why it must not be used; undefined if it may
   * @throws whatever a connection fails with
   */
  vet(): Promise<string | undefined>;
  /** As `vet`, but answers undefined as well where the server does not answer soon. All pools of a process wait for one question. */
  vetAtStart(): Promise<string | undefined>;
}

const timeLimitMs = 5_000;
const startTimeoutMs = 2_000;
const endTimeoutMs = 1_000;
/** Another user of the pooler may happen to hold a session, so once is not enough. */
const rounds = 4;
const transactionMode =
  'Postgres is behind a pooler in transaction mode (or statement mode): LISTEN, prepared statements, advisory locks and settings need a session. Use session mode (PgBouncer: pool_mode = session) or the address of Postgres itself';

export function createSessionVetting(access: PostgresAccess, applicationName: string): SessionVetting {
  const Client = clientOf(access);
  let vetted: Promise<string | undefined> | undefined;
  let atStart: typeof vetted;

  async function connect(): Promise<pg.Client> {
    const client = new Client({
      application_name: applicationName,
      connectionTimeoutMillis: timeLimitMs,
      query_timeout: timeLimitMs,
    });
    // Without a listener, its end would end the process; the next statement fails.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async function ask(): Promise<string | undefined> {
    const one = await connect();
    try {
      const session = await sessionOf(one);
      if (session === (one as { processID?: number }).processID) return undefined;
      const another = await connect();
      try {
        return (await keepSessions(one, session, another)) ? undefined : transactionMode;
      } finally {
        await end(another);
      }
    } finally {
      await end(one);
    }
  }

  function vet(): Promise<string | undefined> {
    if (vetted === undefined) {
      const forget = (): void => void (vetted = undefined);
      vetted = ask();
      // Others that ask meanwhile share the answer; only a good one is kept.
      vetted.then((problem) => problem === undefined || forget(), forget);
    }
    return vetted;
  }

  return {
    vet,
    vetAtStart: () => (atStart ??= Promise.race([vet().catch(() => undefined), passed(startTimeoutMs)])),
  };
}

async function keepSessions(one: pg.Client, session: number, another: pg.Client): Promise<boolean> {
  const theirs = await sessionOf(another);
  if (theirs === session) return false;
  for (let round = 0; round < rounds; round += 1) {
    // Twice each: a pooler that hands out two sessions by turns would give each connection the same one.
    for (const [client, expected] of [
      [one, session],
      [one, session],
      [another, theirs],
      [another, theirs],
    ] as const)
      if ((await sessionOf(client)) !== expected) return false;
  }
  return true;
}

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** A connection that hangs may be long in ending. */
const end = (client: pg.Client): Promise<unknown> =>
  Promise.race([client.end().catch(() => undefined), passed(endTimeoutMs)]);

const passed = (ms: number): Promise<undefined> =>
  new Promise((resolve) => void setTimeout(() => resolve(undefined), ms).unref());
