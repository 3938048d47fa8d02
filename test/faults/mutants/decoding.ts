import type { Mutant } from './mutant.ts';

const worker = 'libs/kafka/consuming/partition-worker.ts';
const test = 'test/unit/kafka/undecodable-batches.test.ts';

/** Ways in which a batch that can't be decoded stops its partition, or is lost. */
export const decodingMutants: readonly Mutant[] = [
  {
    name: 'commits past a batch that can’t be decoded, which nobody has kept',
    edits: [
      {
        file: 'libs/kafka/consuming/handler-calls.ts',
        find: `      await handlers.onUndecodable(batch);`,
        replace: `      batch.done();
      await handlers.onUndecodable(batch);`,
      },
    ],
    check: {
      test,
      title: 'is read again, then handed over with every offset',
      written: 'a batch %s is read again, then handed over with every offset',
    },
    budgetSeconds: 60,
  },
  {
    name: 'reads a batch that can’t be decoded again for ever',
    edits: [
      {
        file: worker,
        find: `    } else if (brokenMetAt !== next) {`,
        replace: `    } else if (brokenMetAt !== -1n) {`,
      },
    ],
    check: {
      test,
      title: 'is read again, then handed over with every offset',
      written: 'a batch %s is read again, then handed over with every offset',
    },
    budgetSeconds: 60,
  },
  {
    name: 'gives a batch up that was broken on its way alone',
    edits: [
      {
        file: worker,
        find: `    } else if (brokenMetAt !== next) {`,
        replace: `    } else if (brokenMetAt === -1n) {`,
      },
    ],
    check: { test, title: 'comes whole the second time' },
    budgetSeconds: 60,
  },
  {
    name: 'believes a damaged batch how far it reaches',
    edits: [
      {
        file: 'libs/kafka/codec/read-record-batches.ts',
        find: `const isBelieved = hasHead && delta >= 0 && bytes.readInt32BE(countAt) === delta + 1;`,
        replace: `const isBelieved = hasHead && delta >= 0;`,
      },
    ],
    check: { test, title: 'is never believed to reach beyond what it holds' },
    budgetSeconds: 60,
  },
  {
    name: 'takes a flipped bit for what was written',
    edits: [
      {
        file: 'libs/kafka/codec/read-record-batches.ts',
        find: `    bytes.readUInt32BE(at + crcAt) === crc32c(bytes.subarray(at + attributesAt, end))`,
        replace: `    crc32c(bytes.subarray(at + attributesAt, end)) >= 0`,
      },
    ],
    check: {
      test,
      title: 'with a byte that has changed has no records',
      written: 'a batch %s has no records, says why, and takes no other with it',
    },
    budgetSeconds: 60,
  },
  {
    name: 'has a bomb take all the memory that it asks for',
    edits: [
      {
        file: 'libs/kafka/codec/compression/snappy.ts',
        find: `  if (declaredLength(bytes) > maxBytes) throw tooLarge(maxBytes);`,
        replace: `  declaredLength(bytes);`,
      },
    ],
    check: { test: 'test/unit/kafka/compression.test.ts', title: 'takes no memory' },
    budgetSeconds: 60,
  },
];
