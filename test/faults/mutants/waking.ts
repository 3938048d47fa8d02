import type { Mutant } from './mutant.ts';

const output = 'test/unit/log/log-output.test.ts';
const rounds = 'test/unit/libs/in-rounds.test.ts';

/** Mutants of what waits in a process for others: lines of its log, and repeated tasks. */
export const wakingMutants: readonly Mutant[] = [
  {
    name: 'loses the last lines of a process that exits',
    edits: [{ in: 'openLogOutput', without: 'process.once' }],
    byDay: { test: output, title: 'after SIGTERM, are written' },
    budgetSeconds: 60,
  },
  {
    name: 'has warnings wait like other lines',
    edits: [{ in: 'openLogOutput', never: '$level >= leastUrgent' }],
    byDay: {
      test: output,
      title: 'are written at once with a warn, in their order',
      written: 'are written at once with a %s, in their order',
    },
    budgetSeconds: 60,
  },
  {
    name: 'wakes the process for each repeated task at an instant of its own',
    edits: [{ in: 'repeat.pause', always: '$ms < alignedFromMs' }],
    byDay: { test: rounds, title: 'wake together, whenever each was started and however long its work takes' },
    budgetSeconds: 60,
  },
  {
    name: 'gives a task no rest that takes nearly all of its interval',
    edits: [{ in: 'repeat.pause', never: '$tookMs > $ms / 2' }],
    byDay: { test: rounds, title: 'rest for the whole pause after work that took long' },
    budgetSeconds: 60,
  },
];
