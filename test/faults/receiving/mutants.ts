import type { Anomaly } from '../checker/anomalies.ts';

/** A way in which receiving could be wrong. The run must see it. */
export interface Mutant {
  name: string;
  file: string;
  /** Must stand in the file once. */
  find: string;
  replace: string;
  scenario: string;
  /** One of these must be found; any other is welcome. */
  anomalies: readonly Anomaly[];
}

export const mutants: readonly Mutant[] = [
  {
    name: 'answers 202 before Kafka has the record',
    file: 'services/ingress/receive-webhook.ts',
    find: `      const recordHeaders = source.recordHeaders({`,
    replace: `      const admission = {
        send: async (record, deadlineMs) => void deps.admission.send(record, deadlineMs).catch(() => undefined),
      };
      const recordHeaders = source.recordHeaders({`,
    scenario: 'kafka-restarted',
    anomalies: ['lost-write'],
  },
  {
    name: 'commits a batch before it is published',
    file: 'services/dedup/accept-once.ts',
    find: `      const culprits = await settle(items, signal);`,
    replace: `      for (const { record } of items) record.done();
      await clock.sleep(300);
      const culprits = await settle(items, signal);`,
    scenario: 'dedup-killed',
    anomalies: ['vanished-record'],
  },
  {
    name: 'takes its own unfinished row for a finished one',
    file: 'libs/dedup-store/dedup-store.ts',
    find: `kind: expiresAt === null ? 'republish' : 'done'`,
    replace: `kind: 'done'`,
    scenario: 'dedup-killed',
    anomalies: ['vanished-record', 'duplicate-of-nothing'],
  },
  {
    name: 'lets Redis alone decide',
    file: 'libs/dedup-store/dedup-store.ts',
    find: `const added = await table.insert(candidates);`,
    replace: `const added = candidates.map(() => true);`,
    scenario: 'redis-forgets',
    anomalies: ['second-event-id'],
  },
];
