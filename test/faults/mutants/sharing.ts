import type { Mutant } from './mutant.ts';

const room = 'libs/tenancy/shared-room.ts';
const jobsInHand = 'services/dispatcher/lanes/jobs-in-hand.ts';
const turns = 'services/dispatcher/lanes/turns.ts';
const isolationTest = 'test/unit/dispatcher/tenant-isolation.test.ts';
const schedulerCheck = {
  test: 'test/unit/dispatcher/scheduler.test.ts',
  title: 'has room for another tenant when one has filled its share',
};

/** Mutants of the room that tenants share: for each share a way to leave nothing of it to others. */
export const sharingMutants: readonly Mutant[] = [
  {
    name: 'lets a tenant take all that is free',
    edits: [{ file: room, find: `const timesFree = 4;`, replace: `const timesFree = 4_000;` }],
    check: { test: isolationTest, title: 'hold up none of another tenant’s deliveries' },
    budgetSeconds: 120,
  },
  {
    name: 'keeps nothing for tenants that hold none',
    edits: [{ file: room, find: `const partForNewcomers = 1 / 20;`, replace: `const partForNewcomers = 0;` }],
    check: { test: 'test/unit/tenancy/shared-room.test.ts', title: 'keeps the last twentieth for those who hold none' },
    budgetSeconds: 60,
  },
  {
    name: 'sends for a tenant whatever it holds',
    edits: [{ file: turns, find: `    if (!room.mayTake(tenant.name)) return undefined;\n`, replace: `` }],
    check: { test: isolationTest, title: 'hold up none of another tenant’s deliveries' },
    budgetSeconds: 120,
  },
  {
    name: 'looks through all lanes of a tenant in one turn of the event loop',
    edits: [{ file: 'libs/lifecycle/in-turns.ts', find: `    if (from > 0) await nextTurn();\n`, replace: `` }],
    check: { ...schedulerCheck, title: 'looks through ten thousand lanes in turns' },
    budgetSeconds: 60,
  },
  {
    name: 'gives the turn to the same tenant for as long as it has lanes',
    edits: [
      {
        file: turns,
        find: `        line.delete(tenant);\n        if (tenant.wanting > 0) line.add(tenant);`,
        replace: `        if (tenant.wanting === 0) line.delete(tenant);`,
      },
    ],
    check: { test: 'test/unit/dispatcher/turns.test.ts', title: 'go from tenant to tenant' },
    budgetSeconds: 60,
  },
  {
    name: 'queues for a tenant whatever it has in hand',
    edits: [{ file: jobsInHand, find: `      return hasJobs && hasBytes;`, replace: `      return hasBytes;` }],
    check: schedulerCheck,
    budgetSeconds: 60,
  },
  {
    name: 'queues for a tenant however many bytes it has in hand',
    edits: [
      {
        file: jobsInHand,
        find: `[jobs.mayTake(tenant), bytes.mayTake(tenant, payload.length)]`,
        replace: `[jobs.mayTake(tenant), payload.length <= bytes.free()]`,
      },
    ],
    check: schedulerCheck,
    budgetSeconds: 60,
  },
  {
    name: 'takes an endpoint that answers after a minute for a quick one',
    edits: [
      {
        file: 'services/dispatcher/endpoints/hold-time.ts',
        find: `    isSlow: () => meanMs >= slowFromMs,`,
        replace: `    isSlow: () => false,`,
      },
    ],
    check: { test: isolationTest, title: 'leave a quarter of their tenant’s share' },
    budgetSeconds: 120,
  },
  {
    name: 'forgets what is known of one tenant’s endpoints for what another has',
    edits: [
      {
        file: 'services/dispatcher/endpoints/endpoint-health.ts',
        find: `if (entries.size > (most?.size ?? 0)) most = entries;`,
        replace: `most ??= entries;`,
      },
    ],
    check: {
      test: 'test/unit/dispatcher/endpoint-health.test.ts',
      title: 'of one tenant is not forgotten for what another has',
    },
    budgetSeconds: 60,
  },
  {
    name: 'brings back the oldest rows, whosever they are',
    edits: [
      {
        file: 'services/dispatcher/waiting/waiting-table.ts',
        find: `   ORDER BY due.turn, due.due_at`,
        replace: `   ORDER BY due.due_at`,
      },
    ],
    check: {
      test: 'test/integration/dispatcher/waiting-table.test.ts',
      title: 'gives of each tenant what it has room for',
    },
    budgetSeconds: 120,
  },
  {
    name: 'reads a tenant’s first lanes again and again',
    edits: [
      {
        file: 'services/dispatcher/waiting/lane-starts.ts',
        find: `if (readTo !== undefined) starts.set`,
        replace: `if (readTo === null) starts.set`,
      },
    ],
    check: { test: 'test/unit/dispatcher/waiting-rows.test.ts', title: 'is looked for behind the lane' },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant’s slow schemas have the whole thread',
    edits: [
      {
        file: 'libs/schema-checks/schema-checks.ts',
        find: `!shares.hasSome(tenant, nowMs) ? 'busy'`,
        replace: `!shares.hasSome(tenant, nowMs) && false ? 'busy'`,
      },
    ],
    check: { test: 'test/unit/schema-checks/schema-checks.test.ts', title: 'uses up its own share of the thread' },
    budgetSeconds: 120,
  },
  {
    name: 'counts time in which others have the processor as a schema’s own',
    edits: [
      {
        file: 'libs/schema-checks/processor-limit.ts',
        find: `if (tookMs >= limitMs) exceed`,
        replace: `if (tookMs >= -limitMs) exceed`,
      },
    ],
    check: { test: 'test/unit/schema-checks/processor-limit.test.ts', title: 'others take the processor for longer' },
    budgetSeconds: 60,
  },
  {
    name: 'checks the schemas of a batch without a limit to all of them',
    edits: [
      {
        file: 'libs/schema-checks/enforcement.ts',
        find: `types.get(event.tenant), untilMs)`,
        replace: `types.get(event.tenant))`,
      },
    ],
    check: { test: 'test/unit/schema-checks/enforcement.test.ts', title: 'slow schemas of many tenants' },
    budgetSeconds: 60,
  },
];
