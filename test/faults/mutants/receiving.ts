import type { Edit, Mutant, RunCheck } from './mutant.ts';

const receiving = (scenario: string, ...seenAs: string[]): RunCheck => ({
  run: 'receiving',
  scenario,
  numbers: { webhooks: 3_000, turns: 1 },
  seenAs,
});

const crashRecovery = 'test/integration/dedup/crash-recovery.test.ts';
const dedupStore = 'libs/dedup-store/dedup-store.ts';
const receiveWebhook = 'services/ingress/receiving/receive-webhook.ts';

/** It sleeps longer than the interval between commits, so that the early commit is made. */
const committedFirst: Edit = {
  file: 'services/dedup/accept-once.ts',
  find: `      const culprits = await settle(items, signal);`,
  replace: `      for (const { record } of items) record.done();
      await clock.sleep(1_500);
      const culprits = await settle(items, signal);`,
};

/** Mutants of ingress and dedup: ways to lose a webhook, to take it twice, or to take what nobody has signed. */
export const receivingMutants: readonly Mutant[] = [
  {
    name: 'answers 202 before Kafka has the record',
    edits: [
      {
        file: receiveWebhook,
        find: `      const recordHeaders = source.recordHeaders({`,
        replace: `      const admission = {
        send: async (record, deadlineMs) => void deps.admission.send(record, deadlineMs).catch(() => undefined),
      };
      const recordHeaders = source.recordHeaders({`,
      },
    ],
    check: receiving('kafka-restarted', 'lost-write'),
    budgetSeconds: 420,
  },
  {
    name: 'takes more of a source than its rate allows',
    edits: [
      {
        file: receiveWebhook,
        find: `const overRate = await judgeRate(source);`,
        replace: `const overRate = undefined;`,
      },
    ],
    check: { test: 'test/e2e/overload.night.test.ts', title: 'every 2xx is on the topic' },
    budgetSeconds: 120,
  },
  {
    name: 'takes a webhook whatever its signature',
    edits: [{ file: receiveWebhook, find: `if (verdict !== 'valid')`, replace: `if (verdict === undefined)` }],
    check: { test: 'test/integration/ingress/ingress.test.ts', title: 'bad input' },
    budgetSeconds: 120,
  },
  {
    name: 'commits a batch before it is published',
    edits: [committedFirst],
    check: receiving('dedup-killed', 'vanished-record'),
    budgetSeconds: 420,
  },
  {
    name: 'commits a batch before it is published, in the whole system',
    edits: [committedFirst],
    check: {
      run: 'system',
      scenario: 'dedup-dies-at-points',
      numbers: { webhooks: 1_500, minutes: 0.5 },
      seenAs: ['vanished-record'],
    },
    budgetSeconds: 540,
  },
  {
    name: 'takes its own unfinished row for a finished one',
    edits: [
      {
        file: dedupStore,
        find: `kind: expiresAt === null ? 'republish' : 'done'`,
        replace: `kind: 'done'`,
      },
    ],
    check: receiving('dedup-killed', 'vanished-record', 'duplicate-of-nothing'),
    budgetSeconds: 420,
  },
  {
    name: 'takes a conflict with its own origin for a duplicate',
    edits: [
      {
        file: dedupStore,
        find: `kind: expiresAt === null ? 'republish' : 'done'`,
        replace: `kind: expiresAt === null ? 'duplicate' : 'done'`,
      },
    ],
    check: {
      test: crashRecovery,
      title: 'a worker that dies at dedup.after-insert',
      written: 'a worker that dies at %s',
    },
    budgetSeconds: 120,
  },
  {
    name: 'takes whatever Redis has for another record’s: SET NX without the origin',
    edits: [
      {
        file: dedupStore,
        find: `return mayHold(candidate, trace.holder) ? undefined : { kind: 'duplicate', ...trace };`,
        replace: `return { kind: 'duplicate', ...trace };`,
      },
    ],
    check: {
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
        file: dedupStore,
        find: `const added = await table.insert(candidates);`,
        replace: `const added = candidates.map(() => true);`,
      },
    ],
    check: receiving('redis-forgets', 'second-event-id'),
    budgetSeconds: 420,
  },
  {
    name: 'goes no further while Redis is away',
    edits: [
      {
        file: dedupStore,
        find: `if (!isAppError(error, 'redis_unavailable')) throw error;`,
        replace: `throw error;`,
      },
    ],
    check: {
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
        file: 'libs/dedup-store/redis-key-memory.ts',
        find: `Math.floor(expiresAt / 1000 / spanMs) - 1`,
        replace: `Math.floor(expiresAt / 1000 / spanMs) + 1`,
      },
    ],
    check: {
      test: 'test/integration/dedup/dedup-store.test.ts',
      title: 'remembers in Redis until shortly before the row’s expiry, and never beyond',
    },
    budgetSeconds: 120,
  },
  {
    name: 'commits what it can’t read before that is a dead letter',
    edits: [
      {
        file: 'services/dedup/accept-once.ts',
        find: `        await buryRecord(record,`,
        replace: `        record.done();\n        await buryRecord(record,`,
      },
    ],
    check: { test: 'test/unit/dedup/accept-once.test.ts', title: 'is dead-lettered at once, as it came' },
    budgetSeconds: 60,
  },
  {
    name: 'commits a record before its dead letter is durable',
    edits: [
      {
        file: 'services/dedup/set-aside.ts',
        find: `        await buryRecord(record,`,
        replace: `        record.done();\n        await buryRecord(record,`,
      },
    ],
    check: { test: 'test/unit/dedup/set-aside.test.ts', title: 'is not done before its dead letter is written' },
    budgetSeconds: 60,
  },
  {
    name: 'publishes events without what the schema of their type says of them',
    edits: [{ file: 'services/dedup/settle.ts', find: `tags: tags.get(first) ?? {}`, replace: `tags: {}` }],
    check: { test: 'test/unit/dedup/schema-tags.test.ts', title: 'tags what does not match' },
    budgetSeconds: 60,
  },
  {
    name: 'judges duplicates by the schema of their type, too',
    edits: [
      {
        file: 'services/dedup/settle.ts',
        find: `verdicts.filter(becomesEvent).map(`,
        replace: `verdicts.map(`,
      },
    ],
    check: { test: 'test/unit/dedup/schema-tags.test.ts', title: 'judges each event once' },
    budgetSeconds: 60,
  },
];
