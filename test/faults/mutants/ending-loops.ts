import type { Mutant } from './mutant.ts';

const trailTest = 'test/unit/trail/trails.test.ts';

/** Webhooks that go round, and answers that are sent again: ways to go on without end, or to end what must go on. */
export const endingLoopsMutants: readonly Mutant[] = [
  {
    name: 'takes a source that was passed for a new one',
    edits: [{ in: 'isLooped', never: 'before.includes($mark)' }],
    byDay: {
      test: trailTest,
      title: 'ends behind its own source, or does not',
      written: 'ends behind %s, or does not',
    },
    budgetSeconds: 60,
  },
  {
    name: 'believes a trail whoever has signed it',
    edits: [
      {
        in: 'createTrails.readOne',
        replace: 'timingSafeEqual(macOf(key, text), given)',
        with: 'timingSafeEqual(macOf(key, text), macOf(key, text))',
      },
    ],
    byDay: { test: trailTest, title: 'counts as none from another installation' },
    budgetSeconds: 60,
  },
  {
    name: 'fans out an event that goes round in a loop',
    edits: [{ in: 'createMatchNarrow', never: 'isLooped(event)' }],
    byDay: { test: 'test/unit/fan-out/match-narrow.test.ts', title: 'goes to none where its webhook goes round' },
    budgetSeconds: 60,
  },
  {
    name: 'begins a new trail with each retry',
    edits: [{ in: 'services/dispatcher/waiting/createWaitingTable.contents', replace: 'row.trail ?? []', with: '[]' }],
    byDay: { test: 'test/integration/dispatcher/waiting-table.test.ts', title: 'has the trail of an event' },
    budgetSeconds: 120,
  },
  {
    name: 'disables an endpoint for 410 in a head that is no HTTP',
    edits: [{ in: 'services/dispatcher/send/decide', always: 'result.oddity === undefined' }],
    byDay: { test: 'test/unit/dispatcher/decide.test.ts', title: 'takes 410 in an odd head for one more failure' },
    budgetSeconds: 60,
  },
  {
    name: 'sends again what a receiver with an odd head has taken',
    edits: [{ in: 'readOddHead', always: "typeof found === 'string'" }],
    byDay: {
      test: 'test/unit/http-client/odd-heads.test.ts',
      title: 'is an answer with line feeds alone, which it says',
      written: 'is an answer with %s, which it says; the connection ends',
    },
    budgetSeconds: 60,
  },
];
