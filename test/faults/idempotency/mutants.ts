import type { Mutant } from '../support/try-mutants.ts';

const run = 'libs/idempotency/postgres-run.ts';

/** Ways in which a key could be carried out twice, be answered in two ways, or its event be lost. */
export const mutants: readonly Mutant[] = [
  {
    name: 'leaves it to Redis to remember answers',
    edits: [{ file: run, find: `    ttlSeconds,\n  ];`, replace: `    0,\n  ];` }],
    scenario: 'redis-forgets',
    seenAs: ['second-effect', 'second-fresh-answer'],
  },
  {
    name: 'writes the effect outside of the transaction of the record',
    edits: [
      {
        file: run,
        find: `if (state === 'open') return inTransaction;`,
        replace: `if (state === 'open') return postgres;`,
      },
    ],
    scenario: 'killed',
    seenAs: ['second-effect'],
  },
  {
    name: 'answers what a late owner has made, whose lease was over',
    edits: [
      {
        file: 'libs/idempotency/keyed-run.ts',
        find: `      case 'lost':\n        return answerAsLate(reply);`,
        replace: `      case 'lost':\n        return payload;`,
      },
    ],
    scenario: 'stopped',
    seenAs: ['second-fresh-answer', 'other-answer'],
  },
  {
    name: 'answers before the commit',
    edits: [
      {
        file: run,
        find: `      await tx.commit();`,
        replace: `      setTimeout(() => void tx.commit().catch(() => undefined), 20);`,
      },
    ],
    scenario: 'connections-cut',
    seenAs: ['second-fresh-answer', 'other-answer'],
  },
  {
    name: 'removes rows of the outbox before they are published',
    edits: [
      {
        file: 'services/api/outbox/publish-outbox.ts',
        find: `    crashPoints.reach('outbox.after-claim');`,
        replace: `    await table.remove(claimed);\n    crashPoints.reach('outbox.after-claim');`,
      },
    ],
    scenario: 'killed',
    seenAs: ['not-published'],
  },
];
