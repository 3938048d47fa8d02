import type { Mutant } from './mutant.ts';

/** Records and rows that are gone, and what must not be lost with them. */
export const losingMutants: readonly Mutant[] = [
  {
    name: 'loses one record',
    edits: [
      {
        file: 'services/dedup/accept-once.ts',
        find: `      if (!('malformed' in item)) {`,
        replace: `      if (record.partition === 0 && String(record.offset) === '100') {
        record.done();
        continue;
      }
      if (!('malformed' in item)) {`,
      },
    ],
    check: { run: 'prove', seenAs: ['vanished-record'] },
    budgetSeconds: 420,
  },
  {
    name: 'passes over records that are gone without a word',
    edits: [
      {
        file: 'libs/kafka/consuming/positions/judge-position.ts',
        find: `if (position < low) return { kind: 'lost', startOffset: low, from: position, records: low - position };`,
        replace: `if (position < low) return { kind: 'within', startOffset: low };`,
      },
    ],
    check: { test: 'test/unit/kafka/start-offsets.test.ts', title: 'that the log does not have is reported' },
    budgetSeconds: 60,
  },
  {
    name: 'reads a log that was made anew from the old offset',
    edits: [
      {
        file: 'libs/kafka/consuming/positions/judge-position.ts',
        find: `if (position > high) return { kind: 'beyond_end', startOffset: low,`,
        replace: `if (position > high) return { kind: 'beyond_end', startOffset: high,`,
      },
    ],
    check: { test: 'test/unit/kafka/judge-position.test.ts', title: 'is ever behind the start' },
    budgetSeconds: 60,
  },
  {
    name: 'takes a dead letter that Kafka has refused for written',
    edits: [
      {
        file: 'libs/dead-letters/bury.ts',
        find: `    return (await isTaken(() => keep(died, facts), signal)) ? 'in_postgres' : undefined;`,
        replace: `    return keep === undefined ? undefined : 'in_postgres';`,
      },
    ],
    check: { test: 'test/unit/dead-letters/bury.test.ts', title: 'is kept in Postgres, whole' },
    budgetSeconds: 60,
  },
  {
    name: 'has a shortened dead letter pass for the record',
    edits: [
      {
        file: 'libs/contract/dead-letter.ts',
        find: `header.deadLetterSha256 in headers;`,
        replace: `header.deadLetterReason in headers;`,
      },
    ],
    check: { test: 'test/unit/dead-letters/bury.test.ts', title: 'says that it was shortened' },
    budgetSeconds: 60,
  },
  {
    name: 'brings a delivery back that has ended',
    edits: [
      {
        file: 'services/cli/commands/rebuild/newest-steps.ts',
        find: `(known.isFinal || (known.step >= step && !hasEnded))`,
        replace: `known.step >= step && !hasEnded`,
      },
    ],
    check: { test: 'test/unit/cli/newest-steps.test.ts', title: 'what has ended waits no more' },
    budgetSeconds: 60,
  },
  {
    name: 'leaves unfinished what it has given back to dedup',
    edits: [
      {
        file: 'services/cli/commands/rebuild/rebuild-dedup.ts',
        find: `await store.complete(own);`,
        replace: ``,
      },
    ],
    check: {
      test: 'test/integration/cli/rebuild-dedup.test.ts',
      title: 'what was lost with the database is known again',
    },
    budgetSeconds: 180,
  },
];
