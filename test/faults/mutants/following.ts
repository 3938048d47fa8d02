import type { Mutant } from './mutant.ts';

const followTest = 'test/integration/postgres/follow-table.test.ts';
const retentionTest = 'test/integration/projector/resource-retention.test.ts';

/** Mutants of tables that are kept in memory: changes that are missed, what is forgotten too soon, and one more than a tenant may have. */
export const followingMutants: readonly Mutant[] = [
  {
    name: 'passes over a transaction that commits after a younger one was read',
    edits: [
      {
        file: 'libs/postgres/table-pages.ts',
        find: `AND NOT pg_visible_in_snapshot(changed_in, $1::pg_snapshot)`,
        replace: `AND changed_in >= pg_snapshot_xmax($1::pg_snapshot)`,
      },
    ],
    check: { test: followTest, title: 'a transaction that commits long after others is not passed over' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets what an endpoint was to get while events can still be judged by it',
    edits: [
      {
        file: 'services/projector/retention/sweep-resources.ts',
        find: `formatMicros(now - judgedWithinDays * dayMicros)`,
        replace: `formatMicros(now - dayMicros)`,
      },
    ],
    check: { test: retentionTest, title: 'is kept as long as an event of that time can be judged' },
    budgetSeconds: 120,
  },
  {
    name: 'drops the oldest of a hundred changes',
    edits: [
      {
        file: 'deploy/postgres/migrations/0003_followed_tables.sql',
        find: `    NEW.history := OLD.history || jsonb_build_object(`,
        replace: `    NEW.history := CASE WHEN jsonb_array_length(OLD.history) < 100 THEN OLD.history ELSE OLD.history - 0 END || jsonb_build_object(`,
      },
    ],
    check: { test: retentionTest, title: 'however often it changed' },
    budgetSeconds: 120,
  },
  {
    name: 'counts a tenant’s endpoints without waiting for those who create others',
    edits: [
      {
        file: 'services/api/resources/tenant-room.ts',
        find: `counted.live < $\${first}::integer`,
        replace: `(SELECT live FROM tenant_resources WHERE tenant = $1 AND kind = '\${kind}') < $\${first}::integer`,
      },
    ],
    check: { test: 'test/integration/api/tenant-limits.test.ts', title: 'lets no more in of many at once' },
    budgetSeconds: 120,
  },
];
