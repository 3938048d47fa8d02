import type { Mutant, RunCheck } from './mutant.ts';

const idempotency = (scenario: string, ...seenAs: string[]): RunCheck => ({
  run: 'idempotency',
  scenario,
  numbers: { keys: 600, turns: 1 },
  seenAs,
});

/** Mutants of the API and its command: ways to carry a request out twice, to answer it in two ways, to show too much or to miss a change. */
export const answeringMutants: readonly Mutant[] = [
  {
    name: 'leaves it to Redis to remember answers',
    edits: [{ in: 'createPostgresRun', replace: 'ttlSeconds ]', with: '0 ]' }],
    byDay: { test: 'test/integration/idempotency/outages.test.ts', title: 'it may forget everything at any moment' },
    byNight: idempotency('redis-forgets', 'second-effect', 'second-fresh-answer'),
    budgetSeconds: 300,
  },
  {
    name: 'writes the effect outside of the transaction of the record',
    edits: [{ in: 'createPostgresRun.database', replace: 'return inTransaction', with: 'return postgres' }],
    byDay: { test: 'test/integration/idempotency/outages.test.ts', title: 'within a handler, nothing of it is there' },
    byNight: idempotency('killed', 'second-effect'),
    budgetSeconds: 300,
  },
  {
    name: 'answers what a late owner has made, whose lease was over',
    edits: [
      {
        in: 'createKeyedRun.keep',
        replace: `case 'lost': return answerAsLate($reply)`,
        with: `case 'lost': return payload`,
      },
    ],
    byDay: {
      test: 'test/integration/idempotency/processes.test.ts',
      title: 'neither overwrites its successor nor gives a second answer',
    },
    budgetSeconds: 300,
  },
  {
    name: 'answers before the commit',
    edits: [
      {
        in: 'createPostgresRun.commitWith',
        replace: 'await tx.commit()',
        with: 'setTimeout(() => void tx.commit().catch(() => undefined), 20)',
      },
    ],
    byDay: { test: 'test/integration/idempotency/outages.test.ts', title: 'during a COMMIT that the server has' },
    byNight: idempotency('connections-cut', 'second-fresh-answer', 'other-answer'),
    budgetSeconds: 300,
  },
  {
    name: 'removes rows of the outbox before their events are durable',
    edits: [
      {
        in: 'createWorkOff',
        insert: `await table.remove(claimed.map((event) => doneRowOf(event, 'published')));`,
        before: `crashPoints.reach('outbox.after-claim')`,
      },
    ],
    byDay: { test: 'test/integration/api/outbox.test.ts', title: 'waits while Kafka is away' },
    byNight: idempotency('killed', 'not-published'),
    budgetSeconds: 300,
  },
  {
    name: 'removes the row of an event that it holds before the acknowledgment',
    edits: [{ in: 'createHeldEvents.publish', insert: `removals.add(doneRowOf(event, 'published'), true);` }],
    byDay: { test: 'test/integration/api/held-events.test.ts', title: 'while Kafka is away claims are given back' },
    budgetSeconds: 120,
  },
  {
    name: 'publishes events before their COMMIT',
    edits: [
      {
        in: 'createPublishing.publishGroup',
        replace: '= published.inserted',
        with: '= published.inserted.then((events) => (hold.committed(events), events))',
      },
    ],
    byDay: {
      test: 'test/integration/api/held-events.test.ts',
      title: 'nothing is sent before the COMMIT has answered',
    },
    budgetSeconds: 120,
  },
  {
    name: 'publishes events whose COMMIT is unknown',
    edits: [{ in: 'createPublishing.publishGroup', replace: 'hold.unknown($events)', with: 'hold.committed($events)' }],
    byDay: {
      test: 'test/integration/api/held-events.test.ts',
      title: 'that the server has dropped, nothing is sent from memory',
      written: 'during a COMMIT that the server has %s, nothing is sent from memory',
    },
    budgetSeconds: 120,
  },
  {
    name: 'publishes from memory though an earlier event of the key has a row',
    edits: [{ in: 'insertOrdered', replace: 'LIMIT 1) IS NULL', with: 'LIMIT 1) IS NULL OR true' }],
    byDay: {
      test: 'test/integration/api/held-events.test.ts',
      title: 'that is not acknowledged yet holds back the next one',
    },
    budgetSeconds: 120,
  },
  {
    name: 'claims the next event of a key before the row of the one before has gone',
    edits: [
      {
        in: 'firstOfKey',
        replace: 'f.ordering_key = keys.ordering_key',
        with: 'f.ordering_key = keys.ordering_key AND f.claimed_until <= clock_timestamp()',
      },
    ],
    byDay: {
      test: 'test/integration/api/held-events.test.ts',
      title: 'the next one is sent when the row of the one before has gone',
    },
    budgetSeconds: 120,
  },
  {
    name: 'keeps an answer without a look at the token of its lease',
    edits: [{ in: 'keepSql', replace: 'token = $4', with: '$4::bytea IS NOT NULL' }],
    byDay: {
      test: 'test/integration/idempotency/stores.test.ts',
      title: 'a late owner does not replace a provisional answer that has been replayed',
    },
    budgetSeconds: 120,
  },
  {
    name: 'carries out in a group what another is carrying out',
    edits: [{ in: 'takeKeysSql', replace: 'WHERE wanted.taken', with: 'WHERE wanted.taken IS NOT NULL' }],
    byDay: {
      test: 'test/integration/idempotency/groups.test.ts',
      title: 'a key that is under way elsewhere leaves the group, be it there in a group or by itself',
    },
    budgetSeconds: 120,
  },
  {
    name: 'keeps a group of which one was answered meanwhile',
    edits: [{ in: 'createGroupRun.keep', replace: '$rows.length === $answers.length', with: '$rows.length > 0' }],
    byDay: {
      test: 'test/integration/idempotency/groups.test.ts',
      title: 'a record that was added behind the group’s first look takes back all of it',
    },
    budgetSeconds: 120,
  },
  {
    name: 'has the same key twice in one group',
    edits: [{ in: 'createPublishing.publish', never: 'underWay.has($key)' }],
    byDay: {
      test: 'test/integration/api/publishing-in-groups.test.ts',
      title: 'a key that comes twice in one group is one event: the second is told that the first is in progress',
    },
    budgetSeconds: 120,
  },
  {
    name: 'publishes an identifier as often as it comes in one group',
    edits: [{ in: 'holdersOf', replace: 'holders.get($eventId) ?? $id', with: '$id' }],
    byDay: {
      test: 'test/integration/api/publishing-in-groups.test.ts',
      title: 'an identifier that comes more than once in one group is one event: all are answered with its id',
    },
    budgetSeconds: 120,
  },
  {
    name: 'sends a request again without the key of its first attempt',
    edits: [
      {
        in: 'createClient.answerTo',
        replace: 'headers, body: text',
        with: `headers: { ...headers, ...(method === 'POST' && { 'idempotency-key': newKey() }) }, body: text`,
      },
    ],
    byDay: { test: 'test/unit/cli/open-client.test.ts', title: 'a POST is resent with its own key' },
    budgetSeconds: 60,
  },
  {
    name: 'claims no dead letter for a replay',
    edits: [
      {
        in: 'claimDeadLetters',
        replace: `SET status = 'replaying', replay_id`,
        with: `SET status = 'dead', replay_id`,
      },
    ],
    byDay: {
      test: 'test/integration/replay-store/replay-store.test.ts',
      title: 'gives each dead letter to one of the replays that are asked for at once',
    },
    budgetSeconds: 120,
  },
  {
    name: 'holds a poll by who looks first and listens then',
    edits: [{ in: 'HeldPlace.wait', without: 'readSoon' }],
    byDay: {
      test: 'test/unit/api/polling/held-polls.test.ts',
      title: 'a change between look and wait is not slept through',
    },
    budgetSeconds: 60,
  },
  {
    name: 'lists the events of every tenant',
    edits: [{ in: 'readEvents', replace: `'tenant = $1'`, with: `'$1::text IS NOT NULL'` }],
    byDay: {
      test: 'test/integration/api/events.test.ts',
      title: 'of another tenant does not exist, nor does anything of it',
    },
    budgetSeconds: 120,
  },
  {
    name: 'sends the secret headers of an endpoint to another origin',
    edits: [
      {
        in: 'isSeenByOthers',
        replace: 'URL.parse(url)?.origin !== URL.parse(before.url)?.origin',
        with: 'url === undefined',
      },
    ],
    byDay: { test: 'test/integration/api/endpoint-secrets.test.ts', title: 'takes no header along' },
    budgetSeconds: 120,
  },
  {
    name: 'answers a held request whose key was revoked',
    edits: [{ in: 'answerIfStillAsked', replace: 'ended === undefined', with: `ended !== 'gone'` }],
    byDay: { test: 'test/integration/api/revoked-polls.test.ts', title: 'comes between the revocation' },
    budgetSeconds: 120,
  },
  {
    name: 'shows a customer the headers that the operator set',
    edits: [{ in: 'shownAs', replace: `shown === 'hidden'`, with: `shown === 'masked'` }],
    byDay: { test: 'test/unit/contract/shown-headers.test.ts', title: 'an attempt shows a customer' },
    budgetSeconds: 60,
  },
  {
    name: 'lets a customer lead the provider’s credentials to a host of its own',
    edits: [
      {
        in: 'errorsOfMove',
        replace: 'settingsForHost(settings)',
        with: 'settingsForHost({ ...settings, pass_headers: [] })',
      },
    ],
    byDay: { test: 'test/unit/api/portal-links.test.ts', title: 'does not lead elsewhere' },
    budgetSeconds: 60,
  },
];
