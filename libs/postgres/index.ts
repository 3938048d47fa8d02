export { type Postgres, type Query, type Rows, createPostgres } from './postgres.ts';
export { fromPostgresError } from './errors.ts';
export { followTable, type FollowedTable } from './follow-table.ts';
export { createListener } from './listen.ts';
export { createRowLookUp, type LookUpRow } from './look-up-row.ts';
export { postgresMetrics } from './metrics.ts';
export { migrate } from './migrate.ts';
export { clockMetrics, watchClock } from './watch-clock.ts';
