import pg from 'pg';
import { AppError } from '#lib/runtime';

/**
 * SQLSTATE classes that say something about the data of this statement, not about the server: 22 data exception (a NUL in a text, a number
 * out of range), 23 integrity constraint, 54 program limit (a text that is too long for an index). Only these count as tries.
 */
const dataClasses = ['22', '23', '54'];

/** Our own mistakes: 42 syntax error or access rule violation, 0A not supported. */
const bugClasses = ['42', '0A'];

/**
 * Everything else with an SQLSTATE (08 connection, 40 rollback, 53 resources, 55 lock not available, 57 operator intervention, 58 system)
 * and everything without one (refused, reset, timed out) is a store that is away: it comes back.
 */
export function fromPostgresError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  if (thrown instanceof pg.DatabaseError && thrown.code !== undefined) {
    const described = `Postgres ${thrown.code}: ${message}`;
    if (dataClasses.includes(thrown.code.slice(0, 2)))
      return new AppError('data_invalid', described, { cause: thrown });
    if (bugClasses.includes(thrown.code.slice(0, 2))) return new AppError('bug', described, { cause: thrown });
    return new AppError('store_unavailable', described, { cause: thrown });
  }
  if (thrown instanceof TypeError || thrown instanceof RangeError)
    return new AppError('bug', message, { cause: thrown });
  return new AppError('store_unavailable', `Postgres: ${message}`, { cause: thrown });
}

/** 08 connection, 53 resources, 57P the server shuts down, crashes or starts, 58 system. */
const awayClasses = /^(08|53|57P|58)/;

/** Whether no answer could be had, where others of `store_unavailable` are answers: a lock that is taken, a statement that took too long. */
export function isAway({ code, cause }: AppError): boolean {
  if (code !== 'store_unavailable') return false;
  return !(cause instanceof pg.DatabaseError) || awayClasses.test(cause.code ?? '');
}

const statementCancelled = '57014';
/** The driver's message when the server did not answer within the client's own limit, which is longer than the server's. */
const readTimeout = 'Query read timeout';

/** Whether a statement took too long: less in it may take less. Any other store that is away is as far away for one row as for many. */
export function isTimedOut(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code !== 'store_unavailable') return false;
  const { cause } = error;
  if (cause instanceof pg.DatabaseError) return cause.code === statementCancelled;
  return cause instanceof Error && cause.message === readTimeout;
}

const lockNotAvailable = '55P03';

/** Whether a statement waited for a lock as long as it may (`lockTimeoutMs`): another transaction holds it, and the server is well. */
export const isLocked = (error: unknown): error is AppError =>
  error instanceof AppError && error.cause instanceof pg.DatabaseError && error.cause.code === lockNotAvailable;
