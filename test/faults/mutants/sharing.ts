import type { Mutant } from './mutant.ts';

const isolationTest = 'test/unit/dispatcher/tenant-isolation.test.ts';
const schedulerCheck = {
  test: 'test/unit/dispatcher/scheduler.test.ts',
  title: 'has room for another tenant when one has filled its share',
};

/** Mutants of the room that tenants share: for each share a way to leave nothing of it to others. */
export const sharingMutants: readonly Mutant[] = [
  {
    name: 'lets a tenant take all that is free',
    edits: [{ in: 'timesFree', value: '4_000' }],
    byDay: { test: isolationTest, title: 'hold up none of another tenant’s deliveries' },
    budgetSeconds: 120,
  },
  {
    name: 'keeps nothing for tenants that hold none',
    edits: [{ in: 'partForNewcomers', value: '0' }],
    byDay: { test: 'test/unit/tenancy/shared-room.test.ts', title: 'keeps the last twentieth for those who hold none' },
    budgetSeconds: 60,
  },
  {
    name: 'sends for a tenant whatever it holds',
    edits: [{ in: 'createTurns.headWithin', never: '!room.mayTake($tenant)' }],
    byDay: { test: isolationTest, title: 'hold up none of another tenant’s deliveries' },
    budgetSeconds: 120,
  },
  {
    name: 'looks through all lanes of a tenant in one turn of the event loop',
    edits: [{ in: 'inTurns', without: 'nextTurn' }],
    byDay: { ...schedulerCheck, title: 'looks through ten thousand lanes in turns' },
    budgetSeconds: 60,
  },
  {
    name: 'gives the turn to the same tenant for as long as it has lanes',
    edits: [
      {
        in: 'createTurns.next',
        replace: 'line.delete($tenant); if ($tenant.wanting > 0) line.add($tenant);',
        with: 'if ($tenant.wanting === 0) line.delete($tenant);',
      },
    ],
    byDay: { test: 'test/unit/dispatcher/turns.test.ts', title: 'go from tenant to tenant' },
    budgetSeconds: 60,
  },
  {
    name: 'queues for a tenant whatever it has in hand',
    edits: [{ in: 'createJobsInHand.hasRoomFor', replace: 'hasJobs && hasBytes', with: 'hasBytes' }],
    byDay: schedulerCheck,
    budgetSeconds: 60,
  },
  {
    name: 'queues for a tenant however many bytes it has in hand',
    edits: [
      { in: 'createJobsInHand.hasRoomFor', replace: 'bytes.mayTake($tenant, $size)', with: '$size <= bytes.free()' },
    ],
    byDay: schedulerCheck,
    budgetSeconds: 60,
  },
  {
    name: 'takes an endpoint that answers after a minute for a quick one',
    edits: [{ in: 'createHoldTime.isSlow', returns: 'false' }],
    byDay: { test: isolationTest, title: 'leave a quarter of their tenant’s share' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets what is known of one tenant’s endpoints for what another has',
    edits: [
      {
        in: 'createEndpointHealth.forgetOne',
        replace: 'if ($entries.size > ($most?.size ?? 0)) $most = $entries;',
        with: '$most ??= $entries;',
      },
    ],
    byDay: {
      test: 'test/unit/dispatcher/endpoint-health.test.ts',
      title: 'of one tenant is not forgotten for what another has',
    },
    budgetSeconds: 60,
  },
  {
    name: 'brings back the oldest rows, whosever they are',
    edits: [{ in: 'dueRows', replace: 'ORDER BY due.turn, due.due_at', with: 'ORDER BY due.due_at' }],
    byDay: {
      test: 'test/integration/dispatcher/waiting-table.test.ts',
      title: 'gives of each tenant what it has room for',
    },
    budgetSeconds: 120,
  },
  {
    name: 'reads a tenant’s first lanes again and again',
    edits: [{ in: 'createLaneStarts.read', never: '$readTo !== undefined' }],
    byDay: { test: 'test/unit/dispatcher/waiting-rows.test.ts', title: 'is looked for behind the lane' },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant’s slow schemas have the whole thread',
    edits: [{ in: 'createSchemaChecks.refusal', never: '!shares.hasSome($tenant, $now)' }],
    byDay: { test: 'test/unit/schema-checks/schema-checks.test.ts', title: 'uses up its own share of the thread' },
    budgetSeconds: 120,
  },
  {
    name: 'counts time in which others have the processor as a schema’s own',
    edits: [{ in: 'limitProcessorTime.decide', always: '$took >= limitMs' }],
    byDay: {
      test: 'test/unit/schema-checks/processor-limit.test.ts',
      title: 'a thread that gets a tenth of a processor has ten times as long',
    },
    budgetSeconds: 60,
  },
  {
    name: 'checks the schemas of a batch without a limit to all of them',
    edits: [
      {
        in: 'createEnforcement.validateAll',
        replace: 'validateOne($event, $type, $until)',
        with: 'validateOne($event, $type)',
      },
    ],
    byDay: { test: 'test/unit/schema-checks/enforcement.test.ts', title: 'slow schemas of many tenants' },
    budgetSeconds: 60,
  },
];
