import type { Edit } from './edits/index.ts';
import type { Mutant, RunCheck } from './mutant.ts';

const receiving = (scenario: string, ...seenAs: string[]): RunCheck => ({
  run: 'receiving',
  scenario,
  numbers: { webhooks: 3_000, turns: 1 },
  seenAs,
});

const completionsTest = 'test/unit/dedup/completions.test.ts';
const crashRecovery = 'test/integration/dedup/crash-recovery.test.ts';

/** It sleeps longer than the interval between commits, so that the early commit is made. */
const committedFirst: Edit = {
  in: 'createAcceptOnce',
  insert: `for (const { record } of $items) record.done();
  await clock.sleep(1_500);`,
  before: 'settle($items, $signal)',
};

/** Mutants of ingress and dedup: ways to lose a webhook, to take it twice, or to take what nobody has signed. */
export const receivingMutants: readonly Mutant[] = [
  {
    name: 'answers 202 before Kafka has the record',
    edits: [
      {
        in: 'createReceiveWebhook',
        insert: `const admission = {
    send: async (record, deadlineMs) => void deps.admission.send(record, deadlineMs).catch(() => undefined),
  };`,
        before: 'source.recordHeaders',
      },
    ],
    byDay: {
      test: 'test/unit/ingress/receive-webhook.test.ts',
      title: 'is answered only once the record is acknowledged',
    },
    byNight: receiving('kafka-restarted', 'lost-write'),
    budgetSeconds: 420,
  },
  {
    name: 'takes more of a source than its rate allows',
    edits: [{ in: 'createReceiveWebhook', replace: 'await rateGate($source)', with: 'undefined' }],
    byDay: { test: 'test/unit/ingress/overload.test.ts', title: 'takes its burst; then webhooks are 429' },
    byNight: { test: 'test/e2e/overload.night.test.ts', title: 'every 2xx is on the topic' },
    budgetSeconds: 120,
  },
  {
    name: 'takes a webhook whatever its signature',
    edits: [{ in: 'createReceiveWebhook', never: `$verdict !== 'valid'` }],
    byDay: { test: 'test/integration/ingress/ingress.test.ts', title: 'bad input' },
    budgetSeconds: 120,
  },
  {
    name: 'commits a batch before it is published',
    edits: [committedFirst],
    byDay: {
      test: 'test/unit/dedup/accept-once.test.ts',
      title: 'a batch waits for Kafka',
      written: 'a batch waits for %s',
    },
    byNight: receiving('dedup-killed', 'vanished-record'),
    budgetSeconds: 420,
  },
  {
    name: 'commits a batch before it is published, in the whole system',
    edits: [committedFirst],
    byNight: {
      run: 'system',
      scenario: 'dedup-dies-at-points',
      numbers: { webhooks: 1_500, minutes: 0.5 },
      seenAs: ['vanished-record'],
    },
    budgetSeconds: 540,
  },
  {
    name: 'never completes a row',
    edits: [{ in: 'createCompletions.complete', without: 'store.complete' }],
    byDay: { test: completionsTest, title: 'one statement for the batches of 200 ms' },
    budgetSeconds: 60,
  },
  {
    name: 'commits a record before its row is completed',
    edits: [{ in: 'createSettle.finish', insert: 'for (const { ended } of published) ended.forEach(end);' }],
    byDay: { test: completionsTest, title: 'a record is not done while its row is being completed' },
    budgetSeconds: 60,
  },
  {
    name: 'publishes again what waits for its row to be completed',
    edits: [{ in: 'createSettle.settleOnce', replace: 'completions.has($first.candidate)', with: 'false' }],
    byDay: { test: completionsTest, title: 'it is not published twice' },
    budgetSeconds: 60,
  },
  {
    name: 'completes rows of a partition that is lost',
    edits: [{ in: 'createCompletions.isKept', returns: 'true' }],
    byDay: { test: completionsTest, title: 'are left to its next owner' },
    budgetSeconds: 60,
  },
  {
    name: 'has senders wait for a flood of others',
    edits: [{ in: 'ownLagMs', replace: 'Math.min($age, $other) * share', with: 'Math.min($age, $other)' }],
    byDay: { test: 'test/unit/lag/lag.test.ts', title: 'a tenant that sends little is not late' },
    budgetSeconds: 60,
  },
  {
    name: 'has senders wait for their endpoint',
    edits: [{ in: 'buildLag.delivered', never: '$durationMs > quickMs' }],
    byDay: {
      test: 'test/unit/dispatcher/lag.test.ts',
      title: 'is of an endpoint that takes its time',
      written: 'not one that %s',
    },
    budgetSeconds: 60,
  },
  {
    name: 'takes its own unfinished row for a finished one',
    edits: [{ in: 'libs/dedup-store/verdictOf', never: '$expiresAt === null' }],
    byDay: { test: 'test/unit/dedup/crash-recovery.test.ts', title: 'loses nothing when its call' },
    byNight: receiving('dedup-killed', 'vanished-record', 'duplicate-of-nothing'),
    budgetSeconds: 420,
  },
  {
    name: 'takes a conflict with its own origin for a duplicate',
    edits: [{ in: 'libs/dedup-store/verdictOf', replace: `'republish'`, with: `'duplicate'` }],
    byDay: {
      test: crashRecovery,
      title: 'a worker that dies at dedup.after-insert',
      written: 'a worker that dies at %s',
    },
    budgetSeconds: 120,
  },
  {
    name: 'takes whatever Redis has for another record’s: SET NX without the origin',
    edits: [{ in: 'createDedupStore.recall', never: 'mayHold($candidate, $holder)' }],
    byDay: {
      test: crashRecovery,
      title: 'a worker that dies at dedup.before-commit',
      written: 'a worker that dies at %s',
    },
    budgetSeconds: 120,
  },
  {
    name: 'lets Redis alone decide',
    edits: [
      {
        in: 'createDedupStore.decideOnce',
        replace: 'await table.insert($candidates)',
        with: '$candidates.map(() => true)',
      },
    ],
    byDay: { test: 'test/unit/dedup/accept-once.test.ts', title: 'goes on with Postgres alone while Redis is away' },
    byNight: receiving('redis-forgets', 'second-event-id'),
    budgetSeconds: 420,
  },
  {
    name: 'goes no further while Redis is away',
    edits: [{ in: 'ignoreRedisAway', always: `!isAppError($error, 'redis_unavailable')` }],
    byDay: {
      test: crashRecovery,
      title: 'its successor comes after Redis has died',
      written: 'its successor comes %s',
    },
    budgetSeconds: 120,
  },
  {
    name: 'keeps a key in Redis for longer than its row: no margin of its time to live',
    edits: [
      {
        in: 'createRedisKeyMemory.remember',
        replace: 'Math.floor($expiresAt / 1000 / $spanMs) - 1',
        with: 'Math.floor($expiresAt / 1000 / $spanMs) + 1',
      },
    ],
    byDay: {
      test: 'test/integration/dedup/dedup-store.test.ts',
      title: 'remembers in Redis until shortly before the row’s expiry, and never beyond',
    },
    budgetSeconds: 120,
  },
  {
    name: 'commits what it can’t read before that is a dead letter',
    edits: [{ in: 'createAcceptOnce', insert: '$record.done();', before: 'buryRecord($record' }],
    byDay: { test: 'test/unit/dedup/accept-once.test.ts', title: 'is dead-lettered at once, as it came' },
    budgetSeconds: 60,
  },
  {
    name: 'commits a record before its dead letter is durable',
    edits: [{ in: 'services/dedup/createSetAside', insert: '$record.done();', before: 'buryRecord($record' }],
    byDay: { test: 'test/unit/dedup/set-aside.test.ts', title: 'is not done before its dead letter is written' },
    budgetSeconds: 60,
  },
  {
    name: 'publishes events without what the schema of their type says of them',
    edits: [{ in: 'createSettle.publish.tags', value: '{}' }],
    byDay: { test: 'test/unit/dedup/schema-tags.test.ts', title: 'tags what does not match' },
    budgetSeconds: 60,
  },
  {
    name: 'judges duplicates by the schema of their type, too',
    edits: [{ in: 'createSettle', replace: '$verdicts.filter(becomesEvent).map(', with: '$verdicts.map(' }],
    byDay: { test: 'test/unit/dedup/schema-tags.test.ts', title: 'judges each event once' },
    budgetSeconds: 60,
  },
];
