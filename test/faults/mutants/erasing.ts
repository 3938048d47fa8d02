import type { Mutant } from './mutant.ts';

const writtenAhead = 'test/integration/erasure/written-ahead.test.ts';

/** Mutants of erasure: what a writer and the removal leave when they meet. */
export const erasingMutants: readonly Mutant[] = [
  {
    name: 'finds the attempts of an erased event through its deliveries alone',
    edits: [{ in: 'removeEventData', without: `runPaged('attempts', removeAttempts)` }],
    byDay: {
      test: writtenAhead,
      title: 'no attempt is left that was written ahead of the mark',
    },
    budgetSeconds: 120,
  },
  {
    name: 'writes attempts ahead without asking whether their event was erased',
    edits: [{ in: 'insertAttempts', replace: `WHERE \${isNotErased('t.tenant', 't.event_id')}`, with: '' }],
    byDay: {
      test: 'test/integration/erasure/erase-event.test.ts',
      title: 'has no payload or attempt written ahead of the clock',
    },
    budgetSeconds: 120,
  },
  {
    name: 'confirms an erasure while a statement from before the mark still writes',
    edits: [
      {
        in: 'hasSettledSql',
        replace: 'greatest(age(a.backend_xmin), age(a.backend_xid)) >= age(marked_in::xid)',
        with: 'false',
      },
    ],
    byDay: { test: writtenAhead, title: 'nothing is left of a statement that asked before the mark' },
    budgetSeconds: 120,
  },
  {
    name: 'writes for a tenant that was deleted after the request was let in',
    edits: [{ in: 'ifDeleted', replace: `AND x.id = ''`, with: `AND x.id = '-'` }],
    byDay: { test: writtenAhead, title: 'let in before its tenant was deleted writes nothing' },
    budgetSeconds: 120,
  },
];
