import type { Postgres, Query } from '#lib/postgres';
import { AppError } from '#lib/runtime';

/**
 * A database that is away when the test says so. `statements` are those of requests: a followed table is read again whenever its last reading is
 * not recent, whoever asks.
 */
export function postgresThatGoesAway({ query, transaction }: Pick<Postgres, 'query' | 'transaction'>) {
  const state = { isAway: false, statements: [] as string[] };
  const read: Query['query'] = (...statement) =>
    state.isAway ? Promise.reject(new AppError('store_unavailable', 'as the test wants it')) : query(...statement);
  const ask: Query['query'] = (text, ...rest) => {
    state.statements.push(text);
    return read(text, ...rest);
  };
  return { state, postgres: { query: ask, transaction }, followPostgres: { query: read, transaction } };
}
