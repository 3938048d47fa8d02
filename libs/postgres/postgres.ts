import pg from 'pg';
import { parseExact } from '#lib/exact-json';
import { AppError, createPart, isAppError, type Logger, type Part } from '#lib/runtime';
import type { Metrics } from '#lib/telemetry';
import { clientOf, type PostgresAccess } from './access.ts';
import { answerUnlessLeft, callerHasLeft } from './cancel-statement.ts';
import { fromPostgresError } from './errors.ts';
import { measurePool } from './metrics.ts';
import { createReplanning } from './plan-anew.ts';
import { parseTextArray, textArray } from './text-array.ts';
import { createSessionVetting, type SessionVetting } from './vet-sessions.ts';

type Rows<T> = T[];

export interface Query {
  /**
   * Runs one statement. Times come as RFC 3339 text in UTC with six digits of microseconds, bigint and numeric as text, bytea as
   * Buffer. A `name` has the server prepare the statement once per connection.
   *
   * @throws AppError store_unavailable (retryable), data_invalid (this statement's data), bug, stopped (its caller has left: `signalOf`)
   */
  query<T extends object = Record<string, never>>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<Rows<T>>;
}

/** As a Query, with what the server says it has done. */
type Ask = <T extends object>(text: string, values?: readonly unknown[], name?: string) => Promise<pg.QueryResult<T>>;

export interface Postgres extends Part, Query {
  /**
   * Runs `work` between BEGIN and COMMIT on one connection; rolls back if it throws, or a statement fails, also one that it did not wait for. A
   * failed COMMIT is of unknown outcome.
   *
   * @param how.isPipelined as in the options; for pools that are opened with `isPipelined: 'on-request'`
   */
  transaction<T>(work: (tx: Query) => Promise<T>, how?: { isPipelined?: boolean }): Promise<T>;
}

export interface PostgresOptions extends PostgresAccess {
  /** Shown in pg_stat_activity. */
  applicationName: string;
  maxConnections: number;
  /** Settings of the server for each session, such as `enable_sort=off`, for statements that are written for one way of running them. */
  sessionSettings?: readonly string[];
  /** Per statement, and so the longest that a dependency that hangs holds up its caller. */
  statementTimeoutMs: number;
  /**
   * The longest that a statement waits for a lock, at most `statementTimeoutMs`: for pools whose transactions are of many tenants, where one
   * that is locked must not delay the others (`isLocked` tells). A setting of the session, so no transaction pays for it. Default: as long as
   * the statement may take.
   */
  lockTimeoutMs?: number;
  /**
   * A statement is sent when it is asked for, not when those before it on its connection are answered: a transaction has as many round trips as it
   * waits for answers, and what is sent together is answered in order, each statement with a snapshot of its own. One that fails fails those that
   * were sent behind it. The time limit of each counts from when it was sent. Default: one after the other.
   *
   * `on-request`: the transactions that ask for it; what these send within a turn of the event loop goes out together. `signalOf` is not asked
   * within them.
   */
  isPipelined?: boolean | 'on-request';
  /**
   * Called before a connection is taken out of the pool: resolves when this caller may have one, with a function to call when it is given
   * back. A caller that it rejects has sent nothing to the database. Default: every caller may.
   */
  takeTurn?(signal?: AbortSignal): Promise<() => void>;
  /**
   * Asked at each statement. Once the signal aborts, its caller waits for nothing any more: what runs is cancelled on the server, and nothing
   * further is sent; a transaction rolls back. Undefined: the statement ends by itself, as those that write must. Not with `isPipelined: true`.
   */
  signalOf?(): AbortSignal | undefined;
  log: Logger;
  /** None where nobody reads them. */
  metrics?: Metrics;
  /** Shared by the pools of a process; default: its own. */
  vetting?: SessionVetting;
}

const connectTimeoutMs = 5_000;
/** A paused writer would stop its whole tenant: it holds the tenant's clock row. */
const idleInTransactionMs = 5_000;

const everybodyMay = async () => () => undefined;

const timestamptz = 1184;

/** `2026-11-21 07:55:23.1+00` → `2026-11-21T07:55:23.100000Z`: never by a Date, which would cut the microseconds. */
function toRfc3339(text: string): string {
  const [, date = '', time = '', fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return date === '' ? text : `${date}T${time}.${fraction.padEnd(6, '0')}Z`;
}

const json = 114;
const jsonb = 3802;
/** Values of users, such as filters, keep whole numbers that a double doesn't hold. */
const parseJson = (text: string): unknown => parseExact(text, 'whole');

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): unknown => {
    if (oid === timestamptz) return toRfc3339;
    if (oid === textArray) return parseTextArray;
    if (oid === json || oid === jsonb) return parseJson;
    return (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * `start` finds out whether the server may be used, if it answers, then continues in any case: connections open on demand.
 *
 * @throws AppError config_invalid if a file of its access can't be used; from `start`, if each connection is no session of its own
 */
export function createPostgres(options: PostgresOptions): Postgres {
  const { vetting = createSessionVetting(options, options.applicationName), signalOf = () => undefined } = options;
  if (options.isPipelined === true && options.signalOf !== undefined)
    throw new AppError('bug', 'a cancel would end another statement of the pipeline');
  const settings = sessionSettingsOf(options);
  let refused: string | undefined;
  /** Connections without a pooler between. */
  const direct = new WeakSet<pg.ClientBase>();

  const pool = new pg.Pool({
    Client: clientOf(options),
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types,
    pipeline: options.isPipelined !== undefined && options.isPipelined !== false,
    // The server's own limit does not help where the server is what hangs.
    query_timeout: options.statementTimeoutMs + 1_000,
    // The pool waits for it, though its types don't say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      const problem = await vetting.vet();
      if (problem !== undefined) {
        if (refused === undefined) options.log.error({ event: 'postgres.refused', problem });
        refused = problem;
        // Not config_invalid: whoever asks waits until it may be used.
        throw new AppError('store_unavailable', problem);
      }
      refused = undefined;
      const { rows } = await client.query<{ pid: number }>(settings);
      if (rows[0]?.pid === (client as pg.ClientBase & { processID?: number }).processID) direct.add(client);
    },
  });
  // Without a listener, a connection that dies while it is idle ends the process.
  pool.on('error', (error) => options.log.warn({ event: 'postgres.connection_lost', err: error }));

  const meter = measurePool(options.metrics, pool, options.applicationName);
  const resultBy =
    (run: <T extends object>(statement: pg.QueryConfig) => Promise<pg.QueryResult<T>>): Ask =>
    async <T extends object>(text: string, values: readonly unknown[] = [], name?: string) => {
      const ended = meter.begin();
      try {
        const result = await run<T>({ text, values: [...values], ...(name === undefined ? {} : { name }) });
        ended();
        return result;
      } catch (thrown) {
        const error = fromPostgresError(thrown);
        // That a caller leaves is no failure of the database.
        if (error.code === 'stopped') ended();
        else ended(error);
        throw error;
      }
    };
  const resultOn = (client: pg.PoolClient, signal: AbortSignal | undefined): Ask =>
    resultBy((statement) =>
      signal === undefined
        ? client.query(statement)
        : answerUnlessLeft({ client, signal, isDirect: direct.has(client) }, statement),
    );

  const { takeTurn = everybodyMay } = options;
  async function inTurn<T>(work: () => Promise<T>, signal = signalOf()): Promise<T> {
    const giveBack = await takeTurn(signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }
  const replanning = createReplanning();
  /** As `pool.query` does, but for sessions that plan anew, and callers who may leave. */
  const resultAlone = (signal: AbortSignal | undefined): Ask =>
    resultBy(async <T extends object>(statement: pg.QueryConfig) => {
      const client = await pool.connect();
      const takenAtMs = performance.now();
      let lost: Error | undefined;
      const keepLoss = (error: Error): void => void (lost ??= error);
      client.on('error', keepLoss);
      let isWhole = false;
      try {
        const result =
          signal === undefined
            ? await client.query<T>(statement)
            : await answerUnlessLeft<T>({ client, signal, isDirect: direct.has(client) }, statement);
        isWhole = await replanning.afterUse(client, takenAtMs);
        return result;
      } catch (error) {
        isWhole = error instanceof AppError;
        throw error;
      } finally {
        client.off('error', keepLoss);
        client.release(!isWhole || lost !== undefined || client.connection.stream.destroyed);
      }
    });

  async function inTransaction<T>(work: (tx: Query) => Promise<T>, isPipelined: boolean): Promise<T> {
    const client = await pool.connect().catch((thrown: unknown) => {
      const error = fromPostgresError(thrown);
      meter.failed(error);
      throw error;
    });
    const takenAtMs = performance.now();
    // Between two statements nobody waits for the connection: without a listener, its end would end the process.
    let lost: Error | undefined;
    const keepLoss = (error: Error): void => void (lost ??= error);
    client.on('error', keepLoss);
    const unanswered = new Set<Promise<unknown>>();
    let [last, failed]: [Promise<unknown>, unknown] = [Promise.resolve(), undefined];
    let hasLeft = false;
    const askUnlessLeft = <T extends object>(signal: AbortSignal | undefined, ...statement: Parameters<Ask>) => {
      if (isPipelined) sendAtEndOfTurn(client);
      const resultOf = resultOn(client, signal);
      const sent = isPipelined ? resultOf<T>(...statement) : last.then(() => resultOf<T>(...statement));
      const answer = sent.then(
        (result) => {
          // A failed statement's work has been rolled back to a savepoint since.
          if (result.command !== 'ROLLBACK') failed = undefined;
          return result;
        },
        (error: unknown) => {
          hasLeft ||= isAppError(error, 'stopped');
          const told = lost === undefined || hasLeft ? error : fromPostgresError(lost);
          failed ??= told;
          throw told;
        },
      );
      unanswered.add(answer);
      // Heard of at the COMMIT by whoever does not wait for it.
      last = answer.then(
        () => unanswered.delete(answer),
        () => unanswered.delete(answer),
      );
      return answer;
    };
    // Beginning and end of a transaction are never cancelled.
    const ask: Ask = (...statement) => askUnlessLeft(undefined, ...statement);
    const tx: Query = {
      query: (...statement) => {
        const signal = isPipelined ? undefined : signalOf();
        const rows = askUnlessLeft<never>(signal, ...statement).then((result) => result.rows);
        rows.catch(() => undefined);
        return rows;
      },
    };
    let broken = false;
    try {
      const begun = ask('BEGIN');
      if (!isPipelined) await begun;
      const result = await work(tx);
      // A statement that was not sent fails nothing at the server.
      if (hasLeft) throw callerHasLeft();
      const { command } = await ask('COMMIT');
      if (command !== 'COMMIT') {
        // A statement that nobody has waited for has failed: the first of them, whose successors only say so.
        await Promise.allSettled(unanswered);
        throw failed;
      }
      return result;
    } catch (error) {
      // A connection that can't even roll back must not go back to the pool with its transaction open.
      await ask('ROLLBACK').catch(() => (broken = true));
      throw error;
    } finally {
      broken ||= !(await replanning.afterUse(client, takenAtMs));
      client.off('error', keepLoss);
      client.release(broken);
    }
  }

  const part = createPart(
    'postgres',
    async () => {
      // A store that is away at the start is waited for like any other time.
      const problem = await vetting.vetAtStart();
      if (problem !== undefined) throw new AppError('config_invalid', problem);
    },
    () => pool.end(),
  );

  return {
    ...part,
    async query(...statement) {
      const signal = signalOf();
      return inTurn(async () => (await resultAlone(signal)<never>(...statement)).rows, signal);
    },
    transaction: (work, how) => inTurn(() => inTransaction(work, isPipelinedBy(options, how))),
  };
}

const isPipelinedBy = ({ isPipelined = false }: PostgresOptions, how: { isPipelined?: boolean } = {}): boolean =>
  isPipelined === 'on-request' ? how.isPipelined === true : isPipelined;

/** One packet for all that is sent until the promises of this turn are settled. */
function sendAtEndOfTurn({ connection: { stream } }: pg.PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * One statement with the settings of a session. Not as parameters of its start: a pooler refuses those that it does not know. None is read
 * from outside, so they need no quotes of their own.
 */
function sessionSettingsOf({ statementTimeoutMs, lockTimeoutMs, sessionSettings = [] }: PostgresOptions): string {
  const settings = [
    'timezone=UTC',
    // JIT costs statements of this size more than it saves: up to 170 ms for planning what then runs in two.
    'jit=off',
    `statement_timeout=${statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    ...(lockTimeoutMs === undefined ? [] : [`lock_timeout=${lockTimeoutMs}`]),
    ...sessionSettings,
  ];
  const calls = settings.map((setting) => {
    const [name = '', value = ''] = setting.split('=');
    return `set_config('${name}', '${value}', false)`;
  });
  return `SELECT pg_backend_pid() AS pid, ${calls.join(', ')}`;
}
