import type { Mutant } from './mutant.ts';

const followTest = 'test/integration/postgres/follow-table.test.ts';
const readingsTest = 'test/unit/postgres/readings.test.ts';
const directoryTest = 'test/unit/fan-out/endpoint-directory.test.ts';
const effectTest = 'test/integration/fan-out/effective-at.test.ts';
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
    name: 'sends by a reading of a minute ago',
    edits: [{ in: 'createReadings.recent', replace: 'ageMs <= atMostMs', with: 'ageMs <= 60_000' }],
    byDay: { test: readingsTest, title: 'a reading that is older than 1.5 s is waited for' },
    budgetSeconds: 60,
  },
  {
    name: 'fans out by a list that may lack what counts for the event',
    edits: [{ in: 'followTable', replace: 'asOf >= at', with: 'true' }],
    byDay: {
      test: directoryTest,
      title: 'a reading as of a second before the receipt suffices, and an older one does not',
    },
    budgetSeconds: 60,
  },
  {
    name: 'waits for the time that a clock which is ahead gave an event',
    edits: [{ in: 'followTable', replace: 'readings.freshAtMs() >= sinceMs', with: 'false' }],
    byDay: { test: directoryTest, title: 'an event that comes from a clock 529 s ahead' },
    budgetSeconds: 60,
  },
  {
    name: 'has the dispatcher alone count a creation by the time of before `effective_at`',
    edits: [
      {
        in: 'services/dispatcher/endpointOf',
        replace: 'readSubscriber(row',
        with: 'readSubscriber({ ...row, begins_at: null }',
      },
    ],
    byDay: { test: effectTest, title: 'for events from when a change counts to the new one' },
    budgetSeconds: 120,
  },
  {
    name: 'commits a change of an endpoint however late that is',
    edits: [{ in: 'refuse_late_change', replace: "interval '1 second'", with: "interval '1 hour'" }],
    byDay: { test: effectTest, title: 'one whose commit takes more than a second is not made' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets what an endpoint was to get while events can still be judged by it',
    edits: [{ in: 'matchedFrom', replace: 'matchedWithinDays * dayMicros', with: 'dayMicros' }],
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
