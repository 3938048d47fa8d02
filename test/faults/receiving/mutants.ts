import type { Mutant } from '../support/try-mutants.ts';

/** Ways in which receiving could be wrong. */
export const mutants: readonly Mutant[] = [
  {
    name: 'answers 202 before Kafka has the record',
    edits: [
      {
        file: 'services/ingress/receive-webhook.ts',
        find: `      const recordHeaders = source.recordHeaders({`,
        replace: `      const admission = {
        send: async (record, deadlineMs) => void deps.admission.send(record, deadlineMs).catch(() => undefined),
      };
      const recordHeaders = source.recordHeaders({`,
      },
    ],
    scenario: 'kafka-restarted',
    seenAs: ['lost-write'],
  },
  {
    name: 'commits a batch before it is published',
    edits: [
      {
        file: 'services/dedup/accept-once.ts',
        find: `      const culprits = await settle(items, signal);`,
        replace: `      for (const { record } of items) record.done();
      await clock.sleep(300);
      const culprits = await settle(items, signal);`,
      },
    ],
    scenario: 'dedup-killed',
    seenAs: ['vanished-record'],
  },
  {
    name: 'takes its own unfinished row for a finished one',
    edits: [
      {
        file: 'libs/dedup-store/dedup-store.ts',
        find: `kind: expiresAt === null ? 'republish' : 'done'`,
        replace: `kind: 'done'`,
      },
    ],
    scenario: 'dedup-killed',
    seenAs: ['vanished-record', 'duplicate-of-nothing'],
  },
  {
    name: 'lets Redis alone decide',
    edits: [
      {
        file: 'libs/dedup-store/dedup-store.ts',
        find: `const added = await table.insert(candidates);`,
        replace: `const added = candidates.map(() => true);`,
      },
    ],
    scenario: 'redis-forgets',
    seenAs: ['second-event-id'],
  },
];
