export { type Postgres, type Query, type Rows, createPostgres } from './postgres.ts';
export { fromPostgresError } from './errors.ts';
export { followTable, type FollowedTable } from './follow-table.ts';
export { migrate } from './migrate.ts';
