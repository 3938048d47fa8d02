import type { Mutant } from './mutant.ts';

/** Records and rows that are gone, and what must not be lost with them. */
export const losingMutants: readonly Mutant[] = [
  {
    name: 'loses one record',
    edits: [
      {
        in: 'createAcceptOnce',
        insert: `if (record.partition === 0 && String(record.offset) === '100') {
    record.done();
    continue;
  }`,
        before: `!('malformed' in $item)`,
      },
    ],
    byNight: { run: 'prove', seenAs: ['vanished-record'] },
    budgetSeconds: 420,
  },
  {
    name: 'passes over records that are gone without a word',
    edits: [
      {
        in: 'vetPosition',
        replace: `{ kind: 'lost', startOffset: $low, from: $position, records: $low - $position }`,
        with: `{ kind: 'within', startOffset: $low }`,
      },
    ],
    byDay: { test: 'test/unit/kafka/start-offsets.test.ts', title: 'that the log does not have is reported' },
    budgetSeconds: 60,
  },
  {
    name: 'reads a log that was made anew from the old offset',
    edits: [
      {
        in: 'vetPosition',
        replace: `{ kind: 'beyond_end', startOffset: $low, from: $position, end: $high }`,
        with: `{ kind: 'beyond_end', startOffset: $high, from: $position, end: $high }`,
      },
    ],
    byDay: { test: 'test/unit/kafka/vet-position.test.ts', title: 'is ever behind the start' },
    budgetSeconds: 60,
  },
  {
    name: 'takes a dead letter that Kafka has refused for written',
    edits: [
      { in: 'buryOnce', replace: 'await isTaken(() => keep($died, $facts), $signal)', with: 'keep !== undefined' },
    ],
    byDay: { test: 'test/unit/dead-letters/bury.test.ts', title: 'is kept in Postgres, whole' },
    budgetSeconds: 60,
  },
  {
    name: 'has a shortened dead letter pass for the record',
    edits: [{ in: 'isShortened', returns: 'header.deadLetterReason in headers' }],
    byDay: { test: 'test/unit/dead-letters/bury.test.ts', title: 'says that it was shortened' },
    budgetSeconds: 60,
  },
  {
    name: 'brings a delivery back that has ended',
    edits: [{ in: 'createNewestSteps.take', never: '$known.isFinal' }],
    byDay: { test: 'test/unit/cli/newest-steps.test.ts', title: 'what has ended waits no more' },
    budgetSeconds: 60,
  },
  {
    name: 'leaves unfinished what it has given back to dedup',
    edits: [{ in: 'rebuildDedup.restore', without: 'store.complete' }],
    byDay: {
      test: 'test/integration/cli/rebuild-dedup.test.ts',
      title: 'what was lost with the database is known again',
    },
    budgetSeconds: 180,
  },
];
