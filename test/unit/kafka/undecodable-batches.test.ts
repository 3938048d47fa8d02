import { crc32, gzipSync } from 'node:zlib';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { decodeKeptBatch, type IncomingRecord, type UndecodableBatch } from '#lib/kafka';
import { createManualClock } from '#lib/runtime';
import { type Compression, compress, compressions } from '../../../libs/kafka/codec/compression/compression.ts';
import { FetchedBatch, type FetchedMessage } from '../../../libs/kafka/codec/fetched-batch.ts';
import { readRecordBatches } from '../../../libs/kafka/codec/read-record-batches.ts';
import { createHandlerCalls, type HandlerCalls } from '../../../libs/kafka/consuming/handler-calls.ts';
import { createPartitionWorker } from '../../../libs/kafka/consuming/partition-worker.ts';
import { recordsOf, storedBatch, withChecksum, withRecords } from './broken-batches.ts';
import { settle, valuesOf } from './fixtures.ts';

const codecs = compressions.filter((name) => name !== 'none');
const maxBytes = 1_000_000;
/** Stands in a batch's attributes for a codec that is not known yet. */
const unknownCodec = 6;

/** A batch of each kind that can't be decoded, at 10 to 12. */
const undecodable: Record<string, () => Buffer> = {
  'of an unknown codec': () => withRecords(storedBatch({ firstOffset: 10 }), unknownCodec, Buffer.from('whatever')),
  'that becomes too large': () => {
    const values = Array.from({ length: 3 }, () => 'a'.repeat(maxBytes));
    return storedBatch({ firstOffset: 10, compression: 'zstd', values });
  },
  'with a byte that has changed': () => {
    const batch = storedBatch({ firstOffset: 10 });
    const at = batch.length - 2;
    batch[at] = (batch[at] ?? 0) ^ 1;
    return batch;
  },
  'of an unknown format': () => {
    const batch = storedBatch({ firstOffset: 10 });
    batch[16] = 3;
    return batch;
  },
  'that has more records than it says': () => {
    const batch = storedBatch({ firstOffset: 10 });
    batch.writeInt32BE(2, 57);
    batch.writeInt32BE(1, 23);
    return withChecksum(batch);
  },
  ...Object.fromEntries(
    codecs.map((name) => [
      `in ${name} with broken bytes`,
      () => {
        const batch = storedBatch({ firstOffset: 10, compression: name, values: values(3) });
        return withRecords(batch, compressions.indexOf(name), recordsOf(batch).subarray(0, -9));
      },
    ]),
  ),
};

const values = (count: number): string[] => Array.from({ length: count }, (_, n) => `record ${n} `.repeat(20));
const kinds = Object.entries(undecodable);

const facts = ({ offset }: FetchedMessage): number => Number(offset);
const next = (): Buffer => storedBatch({ firstOffset: 13, values: ['d'] });

test.each(kinds)('a batch %s has no records, says why, and takes no other with it', (_kind, create) => {
  const before = storedBatch({ firstOffset: 9, values: ['z'] });
  const found = readRecordBatches(Buffer.concat([before, create(), next()]));
  const batch = found[1] as FetchedBatch;
  expect(batch).toBeInstanceOf(FetchedBatch);
  expect(batch.open(maxBytes)).toEqual({ problem: expect.stringMatching(/^(has|is|can't) /) as string });
  expect(batch.firstOffset).toBe(10n);
  expect(found.map(facts).at(-1)).toBe(13);
});

test('what is damaged is never believed to reach beyond what it holds, and what comes after it is read', () => {
  const sound = storedBatch({ firstOffset: 10, compression: 'lz4', values: values(3) });
  fc.assert(
    fc.property(
      // Its base offset is in no checksum, and is the broker's own.
      fc.integer({ min: 8, max: sound.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (at, bits, hasNext) => {
        const damaged = Buffer.from(sound);
        damaged[at] = (damaged[at] ?? 0) ^ bits;
        const found = readRecordBatches(Buffer.concat([damaged, ...(hasNext ? [next()] : [])]));
        const batch = found[0] as FetchedBatch | undefined;
        // Its length may say that it is cut off.
        if (batch === undefined) return;
        expect(Number(batch.lastOffset)).toBeLessThanOrEqual(12);
        expect(Number(batch.lastOffset)).toBeGreaterThanOrEqual(10);
        for (const each of found.slice(1)) expect(facts(each)).toBe(13);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a length that leads nowhere ends the response, and not the process', () => {
  for (const length of [-12, -1_000, 0, 3]) {
    const batch = storedBatch({ firstOffset: 10 });
    batch.writeInt32BE(length, 8);
    const found = readRecordBatches(Buffer.concat([storedBatch({ values: ['z'] }), batch, next()]));
    expect(found.map(facts)).toEqual([0, 12]);
  }
});

describe('messages of the formats before batches', () => {
  function message(
    format: 0 | 1,
    { offset, value, codec = 0 }: { offset: number; value: Buffer; codec?: number },
  ): Buffer {
    const head = Buffer.alloc(format === 0 ? 18 : 26);
    head[16] = format;
    head[17] = codec;
    if (format === 1) head.writeBigInt64BE(1_400_000_000_000n, 18);
    const key = Buffer.from([255, 255, 255, 255]);
    const length = Buffer.alloc(4);
    length.writeInt32BE(value.length);
    const bytes = Buffer.concat([head, key, length, value]);
    bytes.writeBigInt64BE(BigInt(offset), 0);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(16)), 12);
    return bytes;
  }
  const set = (format: 0 | 1, from: number): Buffer =>
    Buffer.concat(['a', 'b', 'c'].map((value, n) => message(format, { offset: from + n, value: Buffer.from(value) })));
  const load = createRequire(import.meta.url);
  const decoder = load('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;
  const theirs = load('kafkajs/src/protocol/messageSet/decoder.js') as (
    bytes: object,
    size: number,
  ) => Promise<{ offset: string; value: Buffer; timestamp?: string }[]>;

  const read = (bytes: Buffer) =>
    readRecordBatches(bytes).flatMap((found) => {
      const opened = found instanceof FetchedBatch ? found.open(maxBytes) : { records: [found] };
      if ('problem' in opened) throw new Error(opened.problem);
      return opened.records.map(({ offset, value, timestamp }) => ({ offset, value: String(value), timestamp }));
    });

  test.each([0, 1] as const)('of format %i are those that kafkajs reads, compressed or not', async (format) => {
    const plain = set(format, 40);
    const gzip = message(format, { offset: 42, value: gzipSync(set(format, format === 0 ? 40 : 0)), codec: 1 });
    for (const bytes of [plain, gzip]) {
      const expected = await theirs(new decoder(bytes), bytes.length);
      expect(read(bytes)).toEqual(
        expected.map(({ offset, value, timestamp = '-1' }) => ({ offset, value: String(value), timestamp })),
      );
    }
  });

  test.each(codecs)('are read in %s, and a broken one is undecodable up to its offset', (name) => {
    const codec = compressions.indexOf(name);
    const sound = message(1, { offset: 42, value: compress(name, set(1, 0)), codec });
    expect(read(Buffer.concat([sound, next()])).map(({ offset }) => offset)).toEqual(['40', '41', '42', '13']);
    const broken = message(1, { offset: 42, value: compress(name, set(1, 0)).subarray(0, 20), codec });
    const [batch] = readRecordBatches(broken) as FetchedBatch[];
    expect([batch?.firstOffset, batch?.lastOffset, batch?.compression]).toEqual([undefined, 42n, name]);
    expect(batch?.open(maxBytes)).toEqual({ problem: expect.any(String) as string });
    const damaged = Buffer.from(sound);
    damaged[30] = (damaged[30] ?? 0) ^ 1;
    expect(readRecordBatches(damaged)).toMatchObject([{ lastOffset: 42n }]);
  });
});

interface Given {
  maxQueuedBytes?: number;
}

function partition({ maxQueuedBytes = 1e9 }: Given = {}) {
  const handled: IncomingRecord[] = [];
  const batches: { batch: UndecodableBatch; keep(): Promise<void>; fail(error: Error): void }[] = [];
  const failures: unknown[] = [];
  const holes: string[] = [];
  const worker = createPartitionWorker({
    topic: 't',
    partition: 7,
    after: Promise.resolve(),
    limits: {
      maxQueuedRecords: 1_000,
      maxQueuedBytes,
      maxOutstanding: 1_000,
      maxOutstandingBytes: 1e9,
      maxSpan: 1e6,
      maxBatchBytes: maxBytes,
    },
    onReady: () => calls.wake(),
    onWantsMore: () => undefined,
    onCommittable: () => undefined,
    onIdle: () => undefined,
    onHole: (from, to) => holes.push(`${from}-${to}`),
  });
  const calls: HandlerCalls = createHandlerCalls({
    workers: () => [worker],
    handle: async (records) => void handled.push(...records),
    onUndecodable(batch) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const keep = async (): Promise<void> => {
        batch.done();
        resolve();
        await settle();
        await settle();
      };
      batches.push({ batch, keep, fail: reject });
      return promise;
    },
    limits: { maxCalls: 2, maxPartitions: 9, maxBatchRecords: 100, maxBatchBytes: 1e9 },
    clock: createManualClock(),
    onFailure: (error) => failures.push(error),
  });
  const receive = async (...bytes: Buffer[]): Promise<string> => {
    const outcome = worker.receive(readRecordBatches(Buffer.concat(bytes)));
    await settle();
    await settle();
    return outcome;
  };
  return { worker, handled, batches, failures, holes, receive };
}

test.each(kinds)(
  'a batch %s is read again, then handed over with every offset, and what follows is handled',
  async (_kind, create) => {
    const { worker, handled, batches, receive } = partition();
    worker.open(9n);
    const fetched = [storedBatch({ firstOffset: 9, values: ['z'] }), create(), next()];
    expect(await receive(...fetched)).toBe('reread');
    expect([worker.nextOffset(), batches.length, valuesOf(handled)]).toEqual([10n, 0, ['z']]);
    for (const record of handled) record.done();

    expect(await receive(...fetched)).toBe('taken');
    const [kept] = batches;
    expect(kept?.batch).toMatchObject({ topic: 't', partition: 7, firstOffset: 10n });
    expect(kept?.batch.value.equals(create())).toBe(true);
    expect(worker.nextOffset()).toBe(14n);
    // Nothing is committed beyond it before it is kept.
    expect([worker.committable(), valuesOf(handled)]).toEqual([10n, ['z']]);
    await kept?.keep();
    expect(valuesOf(handled)).toEqual(['z', 'd']);
    expect(worker.committable()).toBe(13n);
    handled.at(-1)?.done();
    expect(worker.committable()).toBe(14n);
  },
);

test('a batch that comes whole the second time was broken on its way', async () => {
  const { worker, handled, batches, receive } = partition();
  worker.open(10n);
  const sound = storedBatch({ firstOffset: 10 });
  const broken = Buffer.from(sound);
  broken[70] = (broken[70] ?? 0) ^ 1;
  expect(await receive(broken)).toBe('reread');
  expect(await receive(sound)).toBe('taken');
  expect([batches.length, valuesOf(handled)]).toEqual([0, ['a', 'b', 'c']]);
});

test('a failure to keep it fails the consumer, unless the partition was lost', async () => {
  for (const isLost of [false, true]) {
    const { worker, batches, failures, receive } = partition();
    worker.open(10n);
    const batch = undecodable['of an unknown codec']?.() ?? Buffer.alloc(0);
    await receive(batch);
    await receive(batch);
    if (isLost) worker.drop();
    batches[0]?.fail(new Error('no'));
    await settle();
    await settle();
    expect(failures).toHaveLength(isLost ? 0 : 1);
    expect(worker.committable()).toBeUndefined();
  }
});

test('compressed batches are decompressed as far as there is room for them', async () => {
  const { worker, handled, receive } = partition({ maxQueuedBytes: 20_000 });
  worker.open(0n);
  const batch = (firstOffset: number): Buffer => storedBatch({ firstOffset, compression: 'gzip', values: values(50) });
  worker.hold();
  expect(await receive(batch(0), batch(50), batch(100), batch(150))).toBe('reread');
  expect([worker.nextOffset(), worker.wantsMore()]).toEqual([100n, false]);
  worker.release();
  await settle();
  await settle();
  expect([handled.length, worker.wantsMore()]).toEqual([100, true]);
  expect(await receive(batch(100))).toBe('taken');
});

test('records of a compressed batch below the offset that is next are left out, and so are those that it has lost', async () => {
  const { worker, handled, holes, receive } = partition();
  worker.open(11n);
  const batch = storedBatch({ firstOffset: 10, compression: 'zstd', values: values(3) });
  // Compaction has taken the last two.
  batch.writeInt32BE(4, 23);
  expect(await receive(withChecksum(batch))).toBe('taken');
  expect(handled.map(({ offset }) => offset)).toEqual([11n, 12n]);
  expect(worker.nextOffset()).toBe(15n);
  expect(holes).toEqual([]);
});

test('a hole before a broken batch is told once', async () => {
  const { worker, batches, holes, receive } = partition();
  worker.open(8n);
  const batch = undecodable['of an unknown codec']?.() ?? Buffer.alloc(0);
  for (let times = 0; times < 3; times += 1) await receive(batch);
  expect(holes).toEqual(['8-10']);
  expect(batches.map(({ batch: { firstOffset, lastOffset } }) => [firstOffset, lastOffset])).toEqual([[10n, 12n]]);
});

test.each(codecs)('a kept batch in %s has its records again, once it can be decoded', (name: Compression) => {
  const kept = storedBatch({ firstOffset: 10, compression: name, values: values(3) });
  const place = { topic: 't', partition: 7 };
  expect(decodeKeptBatch(kept, place, 300)).toEqual({ problem: 'has more than 300 bytes when it is decompressed' });
  const decoded = decodeKeptBatch(kept, place, maxBytes);
  expect('records' in decoded && decoded.records.map(({ offset, value }) => [offset, String(value)])).toEqual(
    values(3).map((value, n) => [BigInt(10 + n), value]),
  );
  expect(decodeKeptBatch(Buffer.from('short'), place, maxBytes)).toEqual({ problem: 'is cut off' });
});
