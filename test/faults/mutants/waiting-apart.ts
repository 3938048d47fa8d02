import type { Mutant } from './mutant.ts';

const recordsTest = 'test/unit/projector/project-records.test.ts';
const groupTest = 'test/unit/projector/group-commit.test.ts';
const apartTest = 'test/unit/dedup/settle-apart.test.ts';
const asideTest = 'test/unit/tenancy/set-aside.test.ts';
const orderedTest = 'test/unit/dispatcher/ordered-rows.test.ts';
const rowsTest = 'test/unit/dispatcher/waiting-rows.test.ts';
const queued = 'the records of a tenant whose locks are held are set aside';

/** Mutants of what a tenant waits for: others wait with it, or something of it is lost or overtaken. */
export const waitingApartMutants: readonly Mutant[] = [
  {
    name: 'has a batch of webhooks wait for a tenant whose rows are locked',
    edits: [{ in: 'createDecide.decideTogether', always: '!isLocked($error)' }],
    byDay: { test: apartTest, title: 'the others of its batch are published at once' },
    budgetSeconds: 60,
  },
  {
    name: 'has completed rows wait for a tenant whose rows are locked',
    edits: [{ in: 'createCompletions.completeUnlessLocked', never: 'isLocked($error)' }],
    byDay: {
      test: 'test/unit/dedup/completions.test.ts',
      title: 'a tenant’s locked row holds up no row of others',
    },
    budgetSeconds: 60,
  },
  {
    name: 'publishes a tenant’s later webhooks before those that were set aside',
    edits: [{ in: 'createSettleApart.settle', replace: 'aside.isEmpty()', with: 'true' }],
    byDay: { test: apartTest, title: 'its later records queue up behind the first' },
    budgetSeconds: 60,
  },
  {
    name: 'has a group wait for a tenant whose rows are locked',
    edits: [{ in: 'createGroupCommit.divided', replace: 'isLocked($error)', with: 'false' }],
    byDay: { test: groupTest, title: 'where rows of a tenant are locked the others are committed at once' },
    budgetSeconds: 60,
  },
  {
    name: 'commits offsets of records that were set aside',
    edits: [{ in: 'createRecordHandler.write', replace: '!$each.isSetAside', with: 'true' }],
    byDay: { test: recordsTest, title: queued },
    budgetSeconds: 60,
  },
  {
    name: 'writes a tenant’s later records before those that were set aside',
    edits: [{ in: 'createRecordHandler.withoutSetAside', replace: 'aside.has(tenantOfRecord($each))', with: 'false' }],
    byDay: { test: recordsTest, title: queued },
    budgetSeconds: 60,
  },
  {
    name: 'sets aside without a bound',
    edits: [{ in: 'createRecordHandler.project', without: 'aside.room' }],
    byDay: { test: recordsTest, title: 'when as much is set aside as may be' },
    budgetSeconds: 60,
  },
  {
    name: 'writes what was set aside of a partition that is lost',
    edits: [{ in: 'createSetAside.attempt', replace: 'held.items.filter(isWanted)', with: 'held.items' }],
    byDay: { test: recordsTest, title: 'what was set aside is dropped when its partition is lost' },
    budgetSeconds: 60,
  },
  {
    name: 'forgets what could not be written of a tenant’s records',
    edits: [
      {
        in: 'createSetAside.attempt',
        replace: '[...left, ...held.items.slice(some.length)]',
        with: '[...held.items.slice(some.length)]',
      },
    ],
    byDay: {
      test: asideTest,
      title: 'whatever is locked, lost and added when',
      written: 'whatever is locked, lost and added when (seed %i)',
    },
    budgetSeconds: 60,
  },
  {
    name: 'hands out records without end beyond one that is not done',
    edits: [
      {
        in: 'createPartitionWorker.mayHandOut',
        replace: 'tracker.span() - queued.length < limits.maxSpan',
        with: 'true',
      },
    ],
    byDay: {
      test: 'test/unit/kafka/partition-worker.test.ts',
      title: 'records go on beyond one that is not done, so far and no further',
    },
    budgetSeconds: 60,
  },
  {
    name: 'reads a sent row again that could not be removed',
    edits: [{ in: 'createWaitingRows.findDue', replace: '[...$held, ...served]', with: '[...$held]' }],
    byDay: { test: rowsTest, title: 'stays while somebody has locked it' },
    budgetSeconds: 60,
  },
  {
    name: 'waits with all ordered rows for those of one tenant',
    edits: [{ in: 'createOrderedRows.takeTurn', replace: 'isLocked($thrown)', with: 'false' }],
    byDay: { test: orderedTest, title: 'the others’ are written at once' },
    budgetSeconds: 60,
  },
  {
    name: 'takes an ordering key for free while a row of it is held back',
    edits: [{ in: 'createOrderedRows.withHeldBack', replace: 'heldBack.has(of.tenant)', with: 'false' }],
    byDay: { test: orderedTest, title: 'a key with a row that is held back is blocked' },
    budgetSeconds: 60,
  },
];
