import type { Mutant } from './mutant.ts';

const followTest = 'test/integration/postgres/follow-table.test.ts';
const retentionTest = 'test/integration/projector/resource-retention.test.ts';

/** Mutants of tables that are kept in memory: changes that are missed, what is forgotten too soon, and one more than a tenant may have. */
export const followingMutants: readonly Mutant[] = [
  {
    name: 'passes over a transaction that commits after a younger one was read',
    edits: [
      {
        in: 'createTablePages.changed',
        replace: 'NOT pg_visible_in_snapshot(changed_in, $1::pg_snapshot)',
        with: 'changed_in >= pg_snapshot_xmax($1::pg_snapshot)',
      },
    ],
    byDay: { test: followTest, title: 'a transaction that commits long after others is not passed over' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets what an endpoint was to get while events can still be judged by it',
    edits: [{ in: 'judgedFrom', replace: 'judgedWithinDays * dayMicros', with: 'dayMicros' }],
    byDay: { test: retentionTest, title: 'is kept as long as an event of that time can be judged' },
    budgetSeconds: 120,
  },
  {
    name: 'drops the oldest of a hundred changes',
    edits: [
      {
        in: 'keep_endpoint_history',
        replace: 'NEW.history := OLD.history ||',
        with: 'NEW.history := CASE WHEN jsonb_array_length(OLD.history) < 100 THEN OLD.history ELSE OLD.history - 0 END ||',
      },
    ],
    byDay: { test: retentionTest, title: 'however often it changed' },
    budgetSeconds: 120,
  },
  {
    name: 'counts a tenant’s endpoints without waiting for those who create others',
    edits: [
      {
        in: 'roomExpression',
        replace: 'counted.live <',
        with: `(SELECT live FROM tenant_resources WHERE tenant = $1 AND kind = '\${kind}') <`,
      },
    ],
    byDay: { test: 'test/integration/api/tenant-limits.test.ts', title: 'lets no more in of many at once' },
    budgetSeconds: 120,
  },
];
