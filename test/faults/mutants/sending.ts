import type { Mutant } from './mutant.ts';

const conformance = 'test/integration/kafka/conformance.night.test.ts';
const answer = 'libs/kafka/producing/produce-answer.ts';
const lane = 'libs/kafka/producing/produce-lane.ts';

/** Mutants of libs/kafka: ways to take a record for written that is not, to write it elsewhere, and to commit what is not done. */
export const sendingMutants: readonly Mutant[] = [
  {
    name: 'sends the records of several brokers at once, and takes them for written when that resolves',
    edits: [
      {
        file: 'libs/kafka/producing/producer.ts',
        find: `  function topicSender(topic: string): TopicSender {`,
        replace: `  const plain = createClient(options).producer({ retry: { retries: 5 }, allowAutoTopicCreation: false });
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
  }

  function topicSender(topic: string): TopicSender {`,
      },
      {
        file: 'libs/kafka/producing/producer.ts',
        find: `    topicSender(record.topic).add(accepted);`,
        replace: `    sendPlainly(accepted);`,
      },
    ],
    check: { test: conformance, title: 'when the leader of one partition has moved' },
    budgetSeconds: 300,
  },
  {
    name: 'takes a record for written that the answer does not name',
    edits: [
      {
        file: answer,
        find: `  if (answer === undefined || others.length > 0)`,
        replace: `  if (answer === undefined) return { kind: 'written', baseOffset: 0n };\n  if (others.length > 0)`,
      },
    ],
    check: {
      test: 'test/unit/kafka/produce-lane.test.ts',
      title: 'an answer that does not name the partition is no acknowledgment',
    },
    budgetSeconds: 60,
  },
  {
    name: 'takes what is said of the first partition of a request for what became of all of them',
    edits: [
      {
        file: lane,
        find: `encoded.map(({ topic, partition }) => judgeAnswer(answers, topic, partition));`,
        replace: `encoded.map(() => judgeAnswer(answers, answers[0]?.topic ?? '', answers[0]?.partition ?? 0));`,
      },
    ],
    check: {
      test: 'test/unit/kafka/produce-lane.test.ts',
      title: 'each partition has the outcome that the answer says of it',
    },
    budgetSeconds: 60,
  },
  {
    name: 'sends the next batch of a partition while one is in flight',
    edits: [
      {
        file: 'libs/kafka/producing/partition-sender.ts',
        find: `      if (state === 'idle') resume();`,
        replace: `      if (state !== 'waiting') resume();`,
      },
    ],
    check: {
      test: 'test/unit/kafka/partition-sender.test.ts',
      title: 'records that come while a batch is in flight wait for its end',
    },
    budgetSeconds: 60,
  },
  {
    name: 'commits past a record that is not done',
    edits: [
      {
        file: 'libs/kafka/consuming/offset-tracker.ts',
        find: `    position: () => entries[head]?.offset ?? next,`,
        replace: `    position: () => next,`,
      },
    ],
    check: {
      test: 'test/unit/kafka/offset-tracker.test.ts',
      title: 'the position is the lowest offset that is not done',
    },
    budgetSeconds: 60,
  },
  {
    name: 'commits while its group is being assigned anew',
    edits: [{ file: 'libs/kafka/consuming/offset-committer.ts', find: `    if (suspended) return;`, replace: '' }],
    check: {
      test: 'test/unit/kafka/offset-committer.test.ts',
      title: 'nothing is committed while a join is under way',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has the first record after quiet wait for others',
    edits: [
      {
        file: 'libs/kafka/consuming/fetch-pace.ts',
        find: `const gatheredMs = foundSome ? gatherTimeMs(rate.perMs(nowMs), bounds) : 0;`,
        replace: `const gatheredMs = gatherTimeMs(rate.perMs(nowMs), bounds);`,
      },
    ],
    check: {
      test: 'test/unit/kafka/fetch-pace.test.ts',
      title: 'alone, and the first after quiet, a record waits for no other',
    },
    budgetSeconds: 60,
  },
];
