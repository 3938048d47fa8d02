/** Each guarantee, its small witness by day, and its full proof by night. */
export interface Guarantee {
  holds: string;
  /** Test files of the day. */
  byDay: readonly string[];
  /** Parts of the night (night-parts.ts); empty: the day's test is the full proof. */
  byNight: readonly string[];
}

const prove = 'test/e2e/prove.test.ts';

export const guarantees: readonly Guarantee[] = [
  {
    holds: 'a 2xx means durable',
    byDay: [prove, 'test/integration/kafka/conformance.test.ts'],
    byNight: ['kafka', 'dedup', 'system'],
  },
  {
    holds: 'a webhook is accepted once for 72 hours, also after Redis lost everything',
    byDay: [prove, 'test/integration/dedup/crash-recovery.test.ts'],
    byNight: ['dedup', 'payloads', 'system'],
  },
  {
    holds: 'nothing vanishes: every record and every delivery has its end',
    byDay: [prove, 'test/integration/kafka/lost-records.test.ts'],
    byNight: ['payloads', 'system'],
  },
  {
    holds: 'topics are read in every codec, and a batch that can’t be decoded is kept and stops nothing',
    byDay: ['test/integration/kafka/compressed-topics.test.ts', 'test/integration/dead-letters/undecodable.test.ts'],
    byNight: ['kafka'],
  },
  {
    holds: 'deliveries arrive at least once, under one id, and are repeated only around a crash',
    byDay: [prove, 'test/integration/dispatcher/delivering.test.ts'],
    byNight: ['dispatcher', 'system'],
  },
  {
    holds: 'a slow or dead endpoint delays no other',
    byDay: ['test/integration/dispatcher/isolation.test.ts', 'test/unit/dispatcher/lane-simulation.test.ts'],
    byNight: ['dispatcher'],
  },
  {
    holds: 'an ordered endpoint gets the events of a key in their order',
    byDay: ['test/integration/dispatcher/ordered.test.ts'],
    byNight: ['dispatcher', 'system'],
  },
  {
    holds: 'an idempotency key has one effect and one answer',
    byDay: ['test/integration/idempotency/processes.test.ts', 'test/integration/api/idempotent-requests.test.ts'],
    byNight: ['idempotency', 'system'],
  },
  {
    holds: 'polling misses nothing',
    byDay: ['test/integration/api/poll-check/poll-check.test.ts'],
    byNight: ['system'],
  },
  {
    holds: 'overload is an answer, and nothing accepted is lost',
    byDay: ['test/integration/ingress/limits.test.ts'],
    byNight: ['whole'],
  },
  {
    holds: 'a dependency that is away pauses work, and spends no retries',
    byDay: [prove, 'test/integration/idempotency/outages.test.ts'],
    byNight: ['dedup', 'system'],
  },
  {
    holds: 'a consumer that hears nothing from its group is replaced',
    byDay: ['test/integration/kafka/forgotten-member.test.ts', 'test/unit/kafka/supervised-consumer.test.ts'],
    byNight: ['kafka'],
  },
  {
    holds: 'true 404 and 410 in API, console, catalog and portal',
    byDay: ['test/integration/api/missing-resources.test.ts', 'test/unit/console/missing-pages.test.ts'],
    byNight: ['console'],
  },
  {
    holds: 'an erased event leaves nothing behind when its receipt says completed',
    byDay: ['test/integration/erasure/written-ahead.test.ts', 'test/integration/erasure/erase-on-kafka.test.ts'],
    byNight: [],
  },
  { holds: 'no tenant sees what is another’s', byDay: ['test/integration/api/tenant-border.test.ts'], byNight: [] },
  {
    holds: 'every page of console, portal and catalog is clean by axe',
    byDay: ['test/e2e/console-pages.test.ts'],
    byNight: ['console'],
  },
];
