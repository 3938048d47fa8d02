export { type Postgres, type Query, createPostgres } from './postgres.ts';
export { isTimedOut } from './errors.ts';
export { type FollowedRow, followTable, type FollowedTable } from './follow-table.ts';
export { createListener } from './listen.ts';
export { createRowLookUp, type LookUpRow } from './look-up-row.ts';
export { postgresMetrics } from './metrics.ts';
export { migrate } from './migrate.ts';
export { inPieces } from './table-pages.ts';
export { clockMetrics, watchClock } from './watch-clock.ts';
