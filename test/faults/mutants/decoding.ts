import type { Mutant } from './mutant.ts';

const test = 'test/unit/kafka/undecodable-batches.test.ts';
const readAgain = {
  test,
  title: 'is read again, then handed over with every offset',
  written: 'a batch %s is read again, then handed over with every offset',
};

/** Ways in which a batch that can't be decoded stops its partition, or is lost. */
export const decodingMutants: readonly Mutant[] = [
  {
    name: 'commits past a batch that can’t be decoded, which nobody has kept',
    edits: [{ in: 'createHandlerCalls', insert: 'batch.done();', before: 'handlers.onUndecodable' }],
    byDay: readAgain,
    budgetSeconds: 60,
  },
  {
    name: 'reads a batch that can’t be decoded again for ever',
    edits: [{ in: 'createPartitionWorker.queueBatch', always: 'brokenMetAt !== next' }],
    byDay: readAgain,
    budgetSeconds: 60,
  },
  {
    name: 'gives a batch up that was broken on its way alone',
    edits: [{ in: 'createPartitionWorker.queueBatch', never: 'brokenMetAt !== next' }],
    byDay: { test, title: 'comes whole the second time' },
    budgetSeconds: 60,
  },
  {
    name: 'believes a damaged batch how far it reaches',
    edits: [{ in: 'brokenBatch', always: 'bytes.readInt32BE($at) === delta + 1' }],
    byDay: { test, title: 'is never believed to reach beyond what it holds' },
    budgetSeconds: 60,
  },
  {
    name: 'takes a flipped bit for what was written',
    edits: [
      {
        in: 'isSoundAt',
        replace: 'bytes.readUInt32BE(at + crcAt) === crc32c($batch)',
        with: 'crc32c($batch) >= 0',
      },
    ],
    byDay: {
      test,
      title: 'with a byte that has changed has no records',
      written: 'a batch %s has no records, says why, and takes no other with it',
    },
    budgetSeconds: 60,
  },
  {
    name: 'keeps it to itself that a partition can’t be fetched',
    edits: [{ in: 'readPartition', always: 'errorCode === 0' }],
    byDay: { test: 'test/unit/kafka/fetch-response.test.ts', title: 'a partition that has nothing to tell' },
    budgetSeconds: 60,
  },
  {
    name: 'takes the name of a header for another in the same place of its table',
    edits: [{ in: 'readName', always: 'isAt($bytes, at, length, $name)' }],
    byDay: { test: 'test/unit/kafka/consumed-record.test.ts', title: 'the name of a header is decoded once' },
    budgetSeconds: 60,
  },
  {
    name: 'has a bomb take all the memory that it asks for',
    edits: [{ in: 'decompressRaw', never: 'declaredLength(bytes) > maxBytes' }],
    byDay: { test: 'test/unit/kafka/compression.test.ts', title: 'takes no memory' },
    budgetSeconds: 60,
  },
];
