import type { Edit } from './edits/index.ts';
import type { Mutant } from './mutant.ts';

const countsTest = 'test/integration/projector/counts.test.ts';
const outcomesTest = 'test/integration/projector/outcomes.test.ts';
const clocksTest = 'test/integration/projector/clocks.test.ts';
const pollingTest = 'test/integration/projector/polling.test.ts';
const gatheringTest = 'test/unit/kafka/gathering.test.ts';
const awaitedTest = 'test/unit/projector/awaited.test.ts';
const announcedTest = 'test/unit/api/polling/announce-awaited.test.ts';
const newerAlone = `WHERE (known.step < EXCLUDED.step OR`;

/** The clock without its row. */
const timeAlone: Edit = {
  in: 'takeClocks',
  replace: `INSERT INTO tenant_clocks AS clock (tenant, last_at)
      SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond'
        FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)
       ORDER BY tenant
      ON CONFLICT (tenant) DO UPDATE
         SET last_at = \${nextInstant}
                       + (($2::int[])[array_position($1::text[], clock.tenant)] - 1) * interval '1 microsecond'
      RETURNING tenant, last_at`,
  with: `SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond' AS last_at
        FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)`,
};

/** Mutants of the projector's writes: states that go back, and changes that a poller can't see. */
export const projectingMutants: readonly Mutant[] = [
  {
    name: 'lets a lower step overwrite a higher one',
    edits: [{ in: 'applyOutcomes', replace: newerAlone, with: 'WHERE (true OR' }],
    byDay: { test: outcomesTest, title: 'a lower step that comes late changes nothing' },
    budgetSeconds: 90,
  },
  {
    name: 'opens a delivery again that is delivered',
    edits: [{ in: 'applyOutcomes', replace: `AND \${hasNotEnded('known.status')}`, with: '' }],
    byDay: { test: outcomesTest, title: 'a delivery that has ended is never open again' },
    budgetSeconds: 90,
  },
  {
    name: 'brings a row back that the dispatcher has removed',
    edits: [{ in: 'applyOutcomes', replace: newerAlone, with: 'WHERE (known.step <= EXCLUDED.step OR' }],
    byDay: { test: outcomesTest, title: 'a row that the dispatcher has removed does not come back' },
    budgetSeconds: 90,
  },
  {
    name: 'has updated_at from the clock, without a row that is held',
    edits: [timeAlone],
    byDay: { test: pollingTest, title: 'a poller misses nothing' },
    budgetSeconds: 90,
  },
  {
    name: 'has updated_at go back with the clock',
    edits: [{ in: 'nextInstant', value: `'clock_timestamp()'` }],
    byDay: { test: pollingTest, title: 'instants go on from the last one' },
    budgetSeconds: 90,
  },
  {
    name: 'waits for a clock while it holds others',
    edits: [{ in: 'takeFreeClocks', replace: 'FOR UPDATE OF clock SKIP LOCKED', with: 'FOR UPDATE OF clock' }],
    byDay: { test: clocksTest, title: 'tenants whose clocks are free are written' },
    budgetSeconds: 120,
  },
  {
    name: 'takes a clock and reads what its last holder wrote in one statement: two projectors',
    edits: [
      timeAlone,
      {
        in: 'decideEvents',
        replace: 'WITH touched AS (',
        with: `WITH clocks AS (
      INSERT INTO tenant_clocks AS clock (tenant, last_at)
      SELECT DISTINCT tenant, clock_timestamp() FROM unnest($1::text[]) AS wanted (tenant)
      ON CONFLICT (tenant) DO UPDATE
         SET last_at = greatest(clock_timestamp(), clock.last_at + interval '1 microsecond')
    ), touched AS (`,
      },
    ],
    byDay: { test: clocksTest, title: 'a writer that has waited for a clock judges' },
    budgetSeconds: 120,
  },
  {
    name: 'writes an old payload ahead of its event, when its day may be dropped',
    edits: [{ in: 'createStore.prepare', replace: '$facts.filter(($fact) => timeOf($fact) >= $old)', with: '$facts' }],
    byDay: { test: clocksTest, title: 'payloads and attempts are there before the clock is had' },
    budgetSeconds: 120,
  },
  {
    name: 'judges an event before its first set is whole',
    edits: [{ in: 'decideEvents', replace: 'AND f.generation = 0) AS decided', with: ') OR true AS decided' }],
    byDay: { test: countsTest, title: 'says nothing of its event until one try is whole' },
    budgetSeconds: 120,
  },
  {
    name: 'counts an event that comes after a part of its set alone',
    edits: [
      {
        in: 'services/projector/insertEvents',
        replace: 'coalesce(bool_or(f.generation = 0), false) AS counted',
        with: 'true AS counted',
      },
    ],
    byDay: { test: countsTest, title: 'are those of its rows after every batch' },
    budgetSeconds: 120,
  },
  {
    name: 'takes the first chunk of a set for all of it',
    edits: [
      {
        in: 'insertFanOuts',
        replace: 'HAVING count(DISTINCT chunk) >= max(chunks)',
        with: 'HAVING count(DISTINCT chunk) >= 1',
      },
    ],
    byDay: { test: countsTest, title: 'says nothing of its event until one try is whole' },
    budgetSeconds: 120,
  },
  {
    name: 'counts an attempt in the statistics whenever its record comes',
    edits: [{ in: 'applyOutcomes', replace: 'delivery_id, step_before)', with: 'delivery_id)' }],
    byDay: { test: 'test/integration/projector/stats.test.ts', title: 'the counts are those of the rows' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets in the statistics what comes before its event',
    edits: [{ in: 'countBatch', without: 'early.push' }],
    byDay: { test: 'test/integration/projector/stats.test.ts', title: 'the counts are those of the rows' },
    budgetSeconds: 120,
  },
  {
    name: 'does not subtract what a replay supersedes',
    edits: [{ in: 'moves', replace: 'WHERE p.generation > p.newest_before', with: 'WHERE false' }],
    byDay: {
      test: 'test/integration/projector/replayed-events.test.ts',
      title: 'it goes back to processing, and ends by the newest delivery of each endpoint',
    },
    budgetSeconds: 90,
  },
  {
    name: 'gathers a record that somebody waits for, as it does any other',
    edits: [{ in: 'createGathering.ask', without: 'isAwaited' }],
    byDay: { test: gatheringTest, title: 'a record that somebody waits for is handed out at once, with all others' },
    budgetSeconds: 60,
  },
  {
    name: 'ends gathering with the next record alone, which may never come',
    edits: [{ in: 'createGathering.isDue', without: 'wakeIn' }],
    byDay: { test: gatheringTest, title: 'records are handed out together when the oldest is so old' },
    budgetSeconds: 60,
  },
  {
    name: 'has a retry that is due now wait for others in the projector',
    edits: [{ in: 'createAwaited.has', never: "fact.kind === 'outcome'" }],
    byDay: { test: awaitedTest, title: 'somebody waits, or not: a retry that is due now', written: 'or not: %s' },
    budgetSeconds: 60,
  },
  {
    name: 'gathers on when it hears that a request waits for what it holds back',
    edits: [{ in: 'createAwaited.heard', without: 'onNew' }],
    byDay: { test: awaitedTest, title: 'a tenant that is heard of anew ends the gathering' },
    budgetSeconds: 60,
  },
  {
    name: 'announces a held poll once, however long it is held',
    edits: [{ in: 'createAwaitedTenants.repeat', without: 'due.add' }],
    byDay: { test: announcedTest, title: 'a tenant is announced as the first of its requests begins to wait' },
    budgetSeconds: 60,
  },
  {
    name: 'keeps to itself that an event is missing whose delivery is sent again soon',
    edits: [{ in: 'tenantsOfMissing', returns: '[]' }],
    byDay: {
      test: 'test/integration/projector/awaited.test.ts',
      title: 'a delivery that is sent again soon, but for an event that is not there',
    },
    budgetSeconds: 90,
  },
  {
    name: 'keeps the plans of a session, however long it takes with them',
    edits: [{ in: 'createReplanning.afterUse', replace: 'now - takenAtMs < slowMs', with: 'true' }],
    byDay: {
      test: 'test/unit/postgres/plan-anew.test.ts',
      title: 'a session that took long plans anew, and one that did not keeps its plans',
    },
    budgetSeconds: 60,
  },
];
