import type { Mutant, RunCheck } from './mutant.ts';

const idempotency = (scenario: string, ...seenAs: string[]): RunCheck => ({
  run: 'idempotency',
  scenario,
  numbers: { keys: 600, turns: 1 },
  seenAs,
});

const run = 'libs/idempotency/postgres-run.ts';
const group = 'libs/idempotency/postgres-group.ts';

/** Mutants of the API and its command: ways to carry a request out twice, to answer it in two ways, to show too much or to miss a change. */
export const answeringMutants: readonly Mutant[] = [
  {
    name: 'leaves it to Redis to remember answers',
    edits: [{ file: run, find: `    ttlSeconds,\n  ];`, replace: `    0,\n  ];` }],
    check: idempotency('redis-forgets', 'second-effect', 'second-fresh-answer'),
    budgetSeconds: 300,
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
    check: idempotency('killed', 'second-effect'),
    budgetSeconds: 300,
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
    check: {
      test: 'test/integration/idempotency/processes.test.ts',
      title: 'neither overwrites its successor nor gives a second answer',
    },
    budgetSeconds: 300,
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
    check: idempotency('connections-cut', 'second-fresh-answer', 'other-answer'),
    budgetSeconds: 300,
  },
  {
    name: 'removes rows of the outbox before their events are durable',
    edits: [
      {
        file: 'services/api/outbox/publish-outbox.ts',
        find: `    crashPoints.reach('outbox.after-claim');`,
        replace: `    await table.remove(claimed);\n    crashPoints.reach('outbox.after-claim');`,
      },
    ],
    check: idempotency('killed', 'not-published'),
    budgetSeconds: 300,
  },
  {
    name: 'keeps an answer without a look at the token of its lease',
    edits: [
      {
        file: run,
        find: `    expires_at = clock_timestamp() + make_interval(secs => $7::float8)
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND token = $4`,
        replace: `    expires_at = clock_timestamp() + make_interval(secs => $7::float8)
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND $4::bytea IS NOT NULL`,
      },
    ],
    check: {
      test: 'test/integration/idempotency/stores.test.ts',
      title: 'a late owner does not replace a provisional answer that has been replayed',
    },
    budgetSeconds: 120,
  },
  {
    name: 'carries out in a group what another is carrying out',
    edits: [{ file: group, find: ` WHERE wanted.taken\n`, replace: ` WHERE wanted.taken IS NOT NULL\n` }],
    check: {
      test: 'test/integration/idempotency/groups.test.ts',
      title: 'a key that is under way elsewhere leaves the group, be it there in a group or by itself',
    },
    budgetSeconds: 120,
  },
  {
    name: 'keeps a group of which one was answered meanwhile',
    edits: [{ file: group, find: `return rows.length === answers.length;`, replace: `return rows.length > 0;` }],
    check: {
      test: 'test/integration/idempotency/groups.test.ts',
      title: 'a record that was added behind the group’s first look takes back all of it',
    },
    budgetSeconds: 120,
  },
  {
    name: 'has the same key twice in one group',
    edits: [
      {
        file: 'services/api/publishing/publishing.ts',
        find: `if (underWay.has(key)) return`,
        replace: `if (underWay.has(key) && false) return`,
      },
    ],
    check: {
      test: 'test/integration/api/publishing-in-groups.test.ts',
      title: 'a key that comes twice in one group is one event: the second is told that the first is in progress',
    },
    budgetSeconds: 120,
  },
  {
    name: 'publishes an identifier as often as it comes in one group',
    edits: [
      {
        file: 'services/api/resources/published-event.ts',
        find: `(holders.get(eventId) ?? id)`,
        replace: `id`,
      },
    ],
    check: {
      test: 'test/integration/api/publishing-in-groups.test.ts',
      title: 'an identifier that comes more than once in one group is one event: all are answered with its id',
    },
    budgetSeconds: 120,
  },
  {
    name: 'sends a request again without the key of its first attempt',
    edits: [
      {
        file: 'libs/api-client/api-client.ts',
        find: `        headers,\n        ...(body`,
        replace: `        headers: { ...headers, ...(method === 'POST' && { 'idempotency-key': randomUUID() }) },\n        ...(body`,
      },
    ],
    check: { test: 'test/unit/api-client/api-client.test.ts', title: 'a POST is resent with its own key' },
    budgetSeconds: 60,
  },
  {
    name: 'claims no dead letter for a replay',
    edits: [
      {
        file: 'libs/replay-store/create-dead-letter-replay.ts',
        find: `SET status = 'replaying', replay_id`,
        replace: `SET status = 'dead', replay_id`,
      },
    ],
    check: {
      test: 'test/integration/replay-store/replay-store.test.ts',
      title: 'gives each dead letter to one of the replays that are asked for at once',
    },
    budgetSeconds: 120,
  },
  {
    name: 'holds a poll by who looks first and listens then',
    edits: [
      {
        file: 'services/api/polling/held-polls.ts',
        find: `    if (this.#watched.notified > this.#notifiedBefore) this.#shared.readSoon(this.#watched);`,
        replace: '',
      },
    ],
    check: {
      test: 'test/unit/api/polling/held-polls.test.ts',
      title: 'a change between look and wait is not slept through',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lists the events of every tenant',
    edits: [
      {
        file: 'services/api/resources/event.ts',
        find: `'tenant = $1',`,
        replace: `'$1::text IS NOT NULL',`,
      },
    ],
    check: {
      test: 'test/integration/api/events.test.ts',
      title: 'of another tenant does not exist, nor does anything of it',
    },
    budgetSeconds: 120,
  },
  {
    name: 'sends the secret headers of an endpoint to another origin',
    edits: [
      {
        file: 'services/api/settings/request-headers.ts',
        find: `if (isMoved) return`,
        replace: `if (isMoved && false) return`,
      },
    ],
    check: { test: 'test/integration/api/endpoint-secrets.test.ts', title: 'takes no header along' },
    budgetSeconds: 120,
  },
];
