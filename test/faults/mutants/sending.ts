import type { Mutant } from './mutant.ts';

const conformance = 'test/integration/kafka/conformance.night.test.ts';

/** Mutants of libs/kafka: ways to take a record for written that is not, to write it elsewhere, and to commit what is not done. */
export const sendingMutants: readonly Mutant[] = [
  {
    name: 'sends the records of several brokers at once, and takes them for written when that resolves',
    edits: [
      {
        in: 'createSending',
        insert: `const plain = createClient(options).producer({ retry: { retries: 5 }, allowAutoTopicCreation: false });
  const connecting = plain.connect();
  let gathered: PendingRecord[] = [];
  function sendPlainly(record: PendingRecord): void {
    gathered.push(record);
    if (gathered.length > 1) return;
    setTimeout(() => {
      const batch = gathered;
      gathered = [];
      connecting
        .then(() => plain.send({ topic: record.topic, messages: batch.map(({ key, value }) => ({ key, value })) }))
        .then(() => batch.forEach((each) => each.acknowledge({ topic: record.topic, partition: 0, offset: 0n })))
        .catch(() => undefined);
    }, 5);
  }`,
      },
      { in: 'createSending.add', replace: 'topicSender($topic).add($record)', with: 'sendPlainly($record)' },
    ],
    byNight: { test: conformance, title: 'when the leader of one partition has moved' },
    budgetSeconds: 300,
  },
  {
    name: 'takes a record for written that the answer does not name',
    edits: [
      {
        in: 'outcomeOfAnswer',
        insert: `if ($answer === undefined) return { kind: 'written', baseOffset: 0n };`,
        before: '$answer === undefined ||',
      },
    ],
    byDay: {
      test: 'test/unit/kafka/produce-lane.test.ts',
      title: 'an answer that does not name the partition is no acknowledgment',
    },
    budgetSeconds: 60,
  },
  {
    name: 'takes what is said of the first partition of a request for what became of all of them',
    edits: [
      {
        in: 'createProduceLane.request',
        replace: '({ topic, partition }) => outcomeOfAnswer($answers, topic, partition)',
        with: `() => outcomeOfAnswer($answers, $answers[0]?.topic ?? '', $answers[0]?.partition ?? 0)`,
      },
    ],
    byDay: {
      test: 'test/unit/kafka/produce-lane.test.ts',
      title: 'each partition has the outcome that the answer says of it',
    },
    budgetSeconds: 60,
  },
  {
    name: 'sends the next batch of a partition while one is in flight',
    edits: [{ in: 'createPartitionSender.add', replace: `state === 'idle'`, with: `state !== 'waiting'` }],
    byDay: {
      test: 'test/unit/kafka/partition-sender.test.ts',
      title: 'records that come while a batch is in flight wait for its end',
    },
    budgetSeconds: 60,
  },
  {
    name: 'closes the connections that services share when the first of them stops',
    edits: [{ in: 'createSending.leave', never: 'members.size > 0' }],
    byDay: {
      test: 'test/unit/kafka/producer-pool.test.ts',
      title: 'one that stops leaves the connections to the others',
    },
    budgetSeconds: 60,
  },
  {
    name: 'fails the records of all services when one of them stops',
    edits: [{ in: 'libs/kafka/isExpired', returns: 'record.expiresAtMs <= nowMs' }],
    byDay: {
      test: 'test/unit/kafka/producer-pool.test.ts',
      title: 'one that stops leaves the connections to the others',
    },
    budgetSeconds: 60,
  },
  {
    name: 'sends the records of all services again once one of them has given their request up',
    edits: [
      {
        in: 'createPartitionSender.requestTimeoutMs',
        replace: 'Math.min(...$limits)',
        with: 'Math.min(5_000, ...$limits)',
      },
    ],
    byDay: {
      test: 'test/unit/kafka/producer-pool.test.ts',
      title: 'a request that one gives up is sent again for that one alone',
    },
    budgetSeconds: 60,
  },
  {
    name: 'commits past a record that is not done',
    edits: [{ in: 'createOffsetTracker.position', returns: 'last + 1n' }],
    byDay: {
      test: 'test/unit/kafka/offset-tracker.test.ts',
      title: 'the position is the lowest offset that is not done',
    },
    budgetSeconds: 60,
  },
  {
    name: 'commits while its group is being assigned anew',
    edits: [{ in: 'createOffsetCommitter.commitOnce', never: 'suspended' }],
    byDay: {
      test: 'test/unit/kafka/offset-committer.test.ts',
      title: 'nothing is committed while a join is under way',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has the first record after quiet wait for others',
    edits: [{ in: 'createFetchPace.next', replace: 'foundSome ? $gathered : 0', with: '$gathered' }],
    byDay: {
      test: 'test/unit/kafka/fetch-pace.test.ts',
      title: 'alone, and the first after quiet, a record waits for no other',
    },
    budgetSeconds: 60,
  },
];
