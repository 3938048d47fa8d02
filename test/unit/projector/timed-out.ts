import pg from 'pg';
import { AppError } from '#lib/errors';

/** As libs/postgres has it where a statement takes longer than it may. */
export function timedOut(): AppError {
  const cause = new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
  cause.code = '57014';
  return new AppError('store_unavailable', 'Postgres 57014', { cause });
}
