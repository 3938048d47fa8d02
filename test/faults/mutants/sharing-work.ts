import type { Mutant } from './mutant.ts';

const judging = 'test/unit/event-filter/match-in-turns.test.ts';
const lanes = 'test/integration/replay-store/replay-lanes.test.ts';

/** Mutants of tenants' shares in filters' work and in replays: ways for one to take it all, or to lose what is beyond its share. */
export const sharingWorkMutants: readonly Mutant[] = [
  {
    name: 'leaves out the endpoints that are beyond an event’s bound of steps',
    edits: [{ in: 'matchEach', without: `tell({ candidate, unjudged: 'event_steps' })` }],
    byDay: { test: judging, title: 'get it unjudged beyond the bound of a filter' },
    budgetSeconds: 60,
  },
  {
    name: 'judges endpoints in the order that they come in',
    edits: [{ in: 'matchEach', replace: 'inOrder($candidates)', with: '[...$candidates]' }],
    byDay: { test: judging, title: 'are the same at each repetition, in whatever order they are given' },
    budgetSeconds: 60,
  },
  {
    name: 'judges all filters at one go',
    edits: [{ in: 'createMatchTurns.wait', always: 'spent < stepsPerTurn && waiting.size === 0 && !isResting' }],
    byDay: { test: judging, title: 'between them everything else has its own' },
    budgetSeconds: 60,
  },
  {
    name: 'judges on without a rest',
    edits: [{ in: 'createMatchTurns.endTurn', always: '$restMs === 0' }],
    byDay: { test: judging, title: 'rest for as long as they take' },
    budgetSeconds: 60,
  },
  {
    name: 'counts the values that a condition looks at, and not those that it compares them with',
    edits: [
      {
        in: 'stepsOfFound',
        replace: '$areScalars ? valuesIn($value) + $weight : valuesIn($value) * $weight',
        with: 'valuesIn($value)',
      },
    ],
    byDay: {
      test: 'test/unit/event-filter/filter-steps.test.ts',
      title: 'is a list within each element',
      written: 'a list within each element',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has everybody wait for an event that takes long',
    edits: [{ in: 'createFanOut', never: 'takesLong($event)' }],
    byDay: {
      test: 'test/unit/dispatcher/fan-out.test.ts',
      title: 'holds up its tenant, whose events keep their order',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant’s events overtake one that was set aside',
    edits: [{ in: 'createFanOut', never: 'tenantsAside.has($tenant) || deps.setAside.has($tenant)' }],
    byDay: {
      test: 'test/unit/dispatcher/fan-out.test.ts',
      title: 'is not overtaken by one of its tenant that takes no time',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has tests wait with bulk replays',
    edits: [
      { in: 'inLane.single', value: `'false'` },
      { in: 'inLane.bulk', value: `"status = 'running'"` },
    ],
    byDay: { test: lanes, title: 'have a lane of their own, whatever their tenant has asked for beside them' },
    budgetSeconds: 120,
  },
  {
    name: 'works on all bulk replays of a tenant at once',
    edits: [{ in: 'heads', replace: 'LIMIT 1) AS head', with: ') AS head' }],
    byDay: { test: lanes, title: 'of a tenant go one after the other, the oldest first' },
    budgetSeconds: 120,
  },
  {
    name: 'gives the tenant with the most tests all of their turns',
    edits: [{ in: 'singles', replace: 'PARTITION BY tenant ORDER BY created_at, id', with: 'ORDER BY created_at, id' }],
    byDay: { test: lanes, title: 'go from tenant to tenant: one waits for one of each other tenant' },
    budgetSeconds: 120,
  },
  {
    name: 'keeps a replay in hand for as long as its rate has it wait',
    edits: [{ in: 'createRunReplay', never: '$waitMs > longestHeldWaitMs' }],
    byDay: {
      test: 'test/unit/dispatcher/replay/run-replay.test.ts',
      title: 'one that waits for its rate for long is left until then',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lets a tenant take every connection to the database',
    edits: [
      {
        in: 'createSharedPlaces.take',
        replace: '!waitingBy.has($tenant) && room.mayTake($tenant)',
        with: 'room.free() > 0',
      },
    ],
    byDay: { test: 'test/integration/api/tenant-connections.test.ts', title: 'holds up nobody else' },
    budgetSeconds: 120,
  },
  {
    name: 'lets a tenant hold every place for long polls',
    edits: [{ in: 'createHeldPolls.enter', never: '!room.mayTake($tenant)' }],
    byDay: { test: 'test/unit/api/polling/held-polls.test.ts', title: 'leave places to the others' },
    budgetSeconds: 60,
  },
];
