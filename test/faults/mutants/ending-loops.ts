import type { Mutant } from './mutant.ts';

const trailTest = 'test/unit/trail/trails.test.ts';

/** Webhooks that go round, and answers that are sent again: ways to go on without end, or to end what must go on. */
export const endingLoopsMutants: readonly Mutant[] = [
  {
    name: 'takes a source that was passed for a new one',
    edits: [{ file: 'libs/contract/trail.ts', find: ` || before.includes(trailMark(sourceId));`, replace: `;` }],
    check: {
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
        file: 'libs/trail/trails.ts',
        find: `timingSafeEqual(macOf(key, text), given)) ? trail : [];`,
        replace: `timingSafeEqual(macOf(key, text), macOf(key, text))) ? trail : [];`,
      },
    ],
    check: { test: trailTest, title: 'counts as none from another installation' },
    budgetSeconds: 60,
  },
  {
    name: 'fans out an event that goes round in a loop',
    edits: [
      {
        file: 'libs/fan-out/match-narrow.ts',
        find: `    if (isLooped(event)) return { endpointIds: [] };`,
        replace: '',
      },
    ],
    check: { test: 'test/unit/fan-out/match-narrow.test.ts', title: 'goes to none where its webhook goes round' },
    budgetSeconds: 60,
  },
  {
    name: 'begins a new trail with each retry',
    edits: [{ file: 'services/dispatcher/waiting/waiting-table.ts', find: `row.trail ?? []`, replace: `[]` }],
    check: { test: 'test/integration/dispatcher/waiting-table.test.ts', title: 'has the trail of an event' },
    budgetSeconds: 120,
  },
  {
    name: 'disables an endpoint for 410 in a head that is no HTTP',
    edits: [
      {
        file: 'services/dispatcher/send/decide.ts',
        find: ` && result.oddity === undefined) return`,
        replace: `) return`,
      },
    ],
    check: { test: 'test/unit/dispatcher/decide.test.ts', title: 'takes 410 in an odd head for one more failure' },
    budgetSeconds: 60,
  },
  {
    name: 'sends again what a receiver with an odd head has taken',
    edits: [
      {
        file: 'libs/http-client/odd-head.ts',
        find: `  if (typeof found === 'string') return undefined;`,
        replace: `  if (typeof found === 'string' || error !== undefined) return undefined;`,
      },
    ],
    check: {
      test: 'test/unit/http-client/odd-heads.test.ts',
      title: 'is an answer with line feeds alone, which it says',
      written: 'is an answer with %s, which it says; the connection ends',
    },
    budgetSeconds: 60,
  },
];
