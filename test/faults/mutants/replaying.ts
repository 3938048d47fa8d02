import type { Mutant } from './mutant.ts';

const followTest = {
  test: 'test/integration/replay-store/follow-replays.test.ts',
  title: 'is completed when its deliveries have ended, and counts how',
};

/** Ways to say of replays and tests what isn't so. */
export const replayingMutants: readonly Mutant[] = [
  {
    name: 'calls a replay completed when all of it is sent',
    edits: [{ in: 'hasOpenDeliveries', value: `'(false)'` }],
    byDay: followTest,
    budgetSeconds: 120,
  },
  {
    name: 'counts how a delivery ended with each look at its replay',
    edits: [{ in: 'openItems', replace: `AND outcome = 'waiting'`, with: '' }],
    byDay: followTest,
    budgetSeconds: 120,
  },
  {
    name: 'says that all is well of a replay of which something is dead',
    edits: [{ in: 'exitCodeOf', returns: '0' }],
    byDay: {
      test: 'test/unit/cli/follow-replay.test.ts',
      title: 'exits with 1 where one is dead-lettered',
      written: 'exits with %i where %s',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has the test of an endpoint wait behind its breaker',
    edits: [{ in: 'createScheduler.mayPass', returns: 'false' }],
    byDay: { test: 'test/unit/dispatcher/scheduler.test.ts', title: 'is sent a test at once' },
    budgetSeconds: 60,
  },
];
