import pg from 'pg';
import { AppError } from '#lib/runtime';

/** As libs/postgres has it where a statement takes longer than it may. */
export function timedOut(): AppError {
  const cause = new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
  cause.code = '57014';
  return new AppError('store_unavailable', 'Postgres 57014', { cause });
}

/** As libs/postgres has it where a lock is held for longer than it may be waited for. */
export function locked(): AppError {
  const cause = new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error');
  cause.code = '55P03';
  return new AppError('store_unavailable', 'Postgres 55P03', { cause });
}
