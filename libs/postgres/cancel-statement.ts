/**
 * A statement whose caller has left ends on the server, too, and its connection serves the next caller:
 *
 *                                   ┌──── no answer yet ────┐
 *   running ──signal aborts──► CancelRequest sent ──► the server closed it ──► the statement has answered ──► the connection is as before
 *                                                └──► either is missing after the time limit             ──► the connection is destroyed
 *
 * The cancel names a session, not a statement (PostgreSQL, "Canceling Requests in Progress"): one that is late would end the next statement of
 * the connection. The server closes the connection of a CancelRequest after it has signalled the session, and a session that is idle ignores the
 * signal. So nothing follows on the connection before both have happened; and a cancel that came before the statement did is sent again. A pooler passes the cancel on at a time of its own: behind one, the
 * connection is destroyed in any case.
 *
 * By CancelRequest, and not by pg_cancel_backend: its secret key belongs to one session of one server, and it needs no connection of the pool.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '#lib/runtime';

/** For both, from the abort on. */
const timeLimitMs = 2_000;
/** Longer than a statement takes to end once it is cancelled. */
const againMs = 20;

const statementCancelled = '57014';

/** Parts of the driver that its types leave out. */
type Session = pg.Client & { processID: number; secretKey: number };
type Wire = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

interface Cancellable {
  client: pg.Client;
  signal: AbortSignal;
  /** Whether the connection leads to the session's own server. */
  isDirect: boolean;
}

/** The caller does not wait for it any more. */
export const callerHasLeft = (cause?: unknown): AppError =>
  new AppError('stopped', 'given up: nobody waits for the answer', { cause });

/**
 * Runs the statement until it has answered, or the signal aborts. Either way, the connection runs nothing when it settles, or is destroyed.
 *
 * @throws AppError stopped if it was cancelled; the driver's error otherwise
 */
export async function answerUnlessLeft<T extends object>(
  { client, signal, isDirect }: Cancellable,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult<T>> {
  if (signal.aborted) throw callerHasLeft();
  let cancelled: Promise<boolean> | undefined;
  let limit: NodeJS.Timeout | undefined;
  const destroy = (): void => void client.connection.stream.destroy();
  const answered = Promise.withResolvers<void>();
  const cancel = (): void => {
    cancelled = cancelUntil(answered.promise, client as Session);
    limit = setTimeout(destroy, timeLimitMs);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await client.query<T>(statement);
  } catch (error) {
    throw cancelled !== undefined && isCancel(error) ? callerHasLeft(error) : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    answered.resolve();
    if (cancelled !== undefined && (!(await cancelled) || !isDirect)) destroy();
    clearTimeout(limit);
  }
}

const isCancel = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? error.code === statementCancelled : true;

/** @returns whether each cancel has been done, so that none is under way */
async function cancelUntil(answered: Promise<void>, session: Session): Promise<boolean> {
  const isOver = answered.then(() => true);
  for (;;) {
    if (!(await sendCancel(session))) return false;
    if (await Promise.race([isOver, delay(againMs, false)])) return true;
  }
}

/** @returns whether the server has done it: it closes the connection then */
function sendCancel({ host, port, ssl, processID, secretKey }: Session): Promise<boolean> {
  const wire = new pg.Connection({ ssl }) as Wire;
  return new Promise((resolve) => {
    let isSent = false;
    const limit = setTimeout(() => end(false), timeLimitMs);
    const end = (isDone: boolean): void => {
      clearTimeout(limit);
      resolve(isDone);
      wire.stream.destroy();
    };
    const send = (): void => {
      isSent = true;
      wire.cancel(processID, secretKey);
    };
    wire.on('error', () => end(false));
    wire.on('end', () => end(isSent));
    wire.on('connect', () => (ssl ? wire.requestSsl() : send()));
    wire.on('sslconnect', send);
    // As the driver connects: a host that is a path is the directory of a socket.
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
