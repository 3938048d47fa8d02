import type { Mutant } from './mutant.ts';

const judging = 'test/unit/event-filter/judge-in-turns.test.ts';
const lanes = 'test/integration/replay-store/replay-lanes.test.ts';
const leases = 'libs/replay-store/lease-replays.ts';

/** Mutants of tenants' shares in filters' work and in replays: ways for one to take it all, or to lose what is beyond its share. */
export const sharingWorkMutants: readonly Mutant[] = [
  {
    name: 'leaves out the endpoints that are beyond an event’s bound of steps',
    edits: [
      {
        file: 'libs/event-filter/judge-in-turns.ts',
        find: `      tell({ candidate, unjudged: 'event_steps' });\n`,
        replace: '',
      },
    ],
    check: { test: judging, title: 'get it unjudged beyond the bound of a filter' },
    budgetSeconds: 60,
  },
  {
    name: 'judges endpoints in the order that they come in',
    edits: [
      { file: 'libs/event-filter/judge-in-turns.ts', find: `of inOrder(candidates)`, replace: `of [...candidates]` },
    ],
    check: { test: judging, title: 'are the same at each repetition, in whatever order they are given' },
    budgetSeconds: 60,
  },
  {
    name: 'judges all filters at one go',
    edits: [
      {
        file: 'libs/event-filter/judging-turns.ts',
        find: `spent < stepsPerTurn && waiting.size === 0 && !isResting`,
        replace: `spent >= 0`,
      },
    ],
    check: { test: judging, title: 'between them everything else has its own' },
    budgetSeconds: 60,
  },
  {
    name: 'judges on without a rest',
    edits: [
      {
        file: 'libs/event-filter/judging-turns.ts',
        find: `if (restMs === 0) return`,
        replace: `if (restMs >= 0) return`,
      },
    ],
    check: { test: judging, title: 'rest for as long as they take' },
    budgetSeconds: 60,
  },
  {
    name: 'counts the values that a condition looks at, and not those that it compares them with',
    edits: [
      {
        file: 'libs/event-filter/count-steps.ts',
        find: `valuesIn(value) + weight : valuesIn(value) * weight`,
        replace: `valuesIn(value) : valuesIn(value)`,
      },
    ],
    check: {
      test: 'test/unit/event-filter/filter-steps.test.ts',
      title: 'is a list within each element',
      written: 'a list within each element',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has everybody wait for an event that takes long',
    edits: [{ file: 'services/dispatcher/fan-out/fan-out.ts', find: `|| takesLong(event)`, replace: '' }],
    check: {
      test: 'test/unit/dispatcher/fan-out.test.ts',
      title: 'holds up its tenant, whose events keep their order',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant’s events overtake one that was set aside',
    edits: [
      {
        file: 'services/dispatcher/fan-out/fan-out.ts',
        find: `tenantsAside.has(event.tenant) || deps.setAside.has(event.tenant) || `,
        replace: '',
      },
    ],
    check: {
      test: 'test/unit/dispatcher/fan-out.test.ts',
      title: 'is not overtaken by one of its tenant that takes no time',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has tests wait with bulk replays',
    edits: [
      {
        file: leases,
        find: `single: \`status = 'running' AND matched <= 1 AND operation IS NULL\``,
        replace: `single: 'false'`,
      },
      {
        file: leases,
        find: `bulk: \`status = 'running' AND (matched > 1 OR operation IS NOT NULL)\``,
        replace: `bulk: \`status = 'running'\``,
      },
    ],
    check: { test: lanes, title: 'have a lane of their own, whatever their tenant has asked for beside them' },
    budgetSeconds: 120,
  },
  {
    name: 'works on all bulk replays of a tenant at once',
    edits: [{ file: leases, find: `\n                          LIMIT 1) AS head`, replace: `) AS head` }],
    check: { test: lanes, title: 'of a tenant go one after the other, the oldest first' },
    budgetSeconds: 120,
  },
  {
    name: 'gives the tenant with the most tests all of their turns',
    edits: [{ file: leases, find: `PARTITION BY tenant ORDER BY created_at, id`, replace: `ORDER BY created_at, id` }],
    check: { test: lanes, title: 'go from tenant to tenant: one waits for one of each other tenant' },
    budgetSeconds: 120,
  },
  {
    name: 'keeps a replay in hand for as long as its rate has it wait',
    edits: [
      {
        file: 'services/dispatcher/replay/run-replay.ts',
        find: `if (waitMs > longestHeldWaitMs)`,
        replace: `if (waitMs > 1e12)`,
      },
    ],
    check: {
      test: 'test/unit/dispatcher/replay/run-replay.test.ts',
      title: 'one that waits for its rate for long is left until then',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant take every connection to the database',
    edits: [
      {
        file: 'libs/tenancy/shared-places.ts',
        find: `if (!waitingBy.has(tenant) && room.mayTake(tenant))`,
        replace: `if (room.free() > 0)`,
      },
    ],
    check: { test: 'test/integration/api/tenant-connections.test.ts', title: 'holds up nobody else' },
    budgetSeconds: 120,
  },
  {
    name: 'lets a tenant hold every place for long polls',
    edits: [
      {
        file: 'services/api/polling/held-polls.ts',
        find: `|| !room.mayTake(tenant)) return 'tenant'`,
        replace: `) return 'tenant'`,
      },
    ],
    check: { test: 'test/unit/api/polling/held-polls.test.ts', title: 'leave places to the others' },
    budgetSeconds: 60,
  },
];
