import { randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import lz4 from 'lz4-napi';
import snappy from 'snappy';
import {
  type Compression,
  compress,
  compressions,
  decompress,
} from '../../../libs/kafka/codec/compression/compression.ts';
import { encodeRecordBatch } from '../../../libs/kafka/codec/record-batch.ts';
import { UndecodableError } from '../../../libs/kafka/codec/compression/undecodable.ts';
import { recordsOf, storedBatch } from './broken-batches.ts';

const codecs = compressions.filter((name) => name !== 'none');
const idOf = (name: Compression): number => compressions.indexOf(name);
const mebibyte = 1024 * 1024;

/** The framing of snappy-java: blocks of so many bytes. */
function xerial(bytes: Buffer, blockBytes = 32 * 1024): Buffer {
  const parts: Buffer[] = [Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0, 0, 0, 0, 1, 0, 0, 0, 1])];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = snappy.compressSync(bytes.subarray(at, at + blockBytes));
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

/** A frame with the given flags; the blocks of a frame that are not independent are compressed with what is before them. */
function lz4Frame(bytes: Buffer, { flags, blockBytes = 64 * 1024 }: { flags: number; blockBytes?: number }): Buffer {
  const uint = (value: number): Buffer => {
    const four = Buffer.alloc(4);
    four.writeUInt32LE(value);
    return four;
  };
  const isLinked = (flags & 0x20) === 0;
  const size = Buffer.alloc((flags & 0x08) === 0 ? 0 : 8);
  if (size.length > 0) size.writeBigUInt64LE(BigInt(bytes.length));
  const parts: Buffer[] = [uint(0x184d2204), Buffer.from([flags, 0x40]), size, Buffer.from([0])];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const window = bytes.subarray(Math.max(0, at - 64 * 1024), at);
    const block = lz4.compressSync(bytes.subarray(at, at + blockBytes), isLinked ? window : undefined).subarray(4);
    parts.push(uint(block.length), block);
    if ((flags & 0x10) !== 0) parts.push(uint(0));
  }
  parts.push(uint(0));
  if ((flags & 0x04) !== 0) parts.push(uint(0));
  return Buffer.concat(parts);
}

const text = Buffer.from('{"id":"evt_1","type":"invoice.paid"}'.repeat(9_000));

describe.each(codecs)('%s', (name) => {
  test('what was compressed is decompressed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200_000 }), (array) => {
        const bytes = Buffer.from(array);
        expect(decompress(idOf(name), compress(name, bytes), bytes.length + 1).equals(bytes)).toBe(true);
      }),
      { numRuns: 30 },
    );
    expect(decompress(idOf(name), compress(name, text), text.length).equals(text)).toBe(true);
  });

  test('a byte more than it may become is too much, and says so', () => {
    expect(() => decompress(idOf(name), compress(name, text), text.length - 1)).toThrow(
      new UndecodableError(`has more than ${text.length - 1} bytes when it is decompressed`),
    );
  });

  test('broken bytes are refused in words, whatever they are', () => {
    const whole = compress(name, text);
    expect(() => decompress(idOf(name), whole.subarray(0, whole.length / 2), mebibyte)).toThrow(UndecodableError);
    expect(() => decompress(idOf(name), randomBytes(1_000).fill(0, 0, 4), mebibyte)).toThrow(UndecodableError);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, bits) => {
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] ?? 0) ^ bits;
        try {
          expect(decompress(idOf(name), flipped, mebibyte).length).toBeLessThanOrEqual(mebibyte);
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableError);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a bomb takes no more memory than it may', () => {
    const bomb = {
      gzip: () => gzipSync(Buffer.alloc(24 * mebibyte)),
      zstd: () => zstdCompressSync(Buffer.alloc(24 * mebibyte)),
    };
    const bytes = name in bomb ? bomb[name as keyof typeof bomb]() : compress(name, Buffer.alloc(24 * mebibyte));
    const before = process.memoryUsage();
    expect(() => decompress(idOf(name), bytes, mebibyte)).toThrow('has more than 1048576 bytes');
    const { arrayBuffers, external } = process.memoryUsage();
    expect(Math.max(arrayBuffers - before.arrayBuffers, external - before.external)).toBeLessThan(6 * mebibyte);
  });

  test('a batch of our producer is compressed, unless it would become larger', () => {
    const values = Array.from({ length: 50 }, (_, n) => `{"id":"evt_${n}","type":"invoice.paid"}`);
    const batch = storedBatch({ compression: name, values });
    expect(batch.readInt16BE(21)).toBe(idOf(name));
    expect(batch.readInt32BE(8)).toBe(batch.length - 12);
    const plain = recordsOf(storedBatch({ values }));
    expect(decompress(idOf(name), recordsOf(batch), mebibyte).equals(plain)).toBe(true);
    const small = [{ key: null, value: randomBytes(40), headers: [], bodyBytes: 43 }];
    expect(encodeRecordBatch(small, 0, name)).toEqual(encodeRecordBatch(small, 0));
  });
});

test('snappy is read in the framing of snappy-java, too, and bounded over all of its blocks', () => {
  expect(decompress(2, xerial(text), text.length).equals(text)).toBe(true);
  expect(() => decompress(2, xerial(text), text.length - 1)).toThrow('has more than');
  expect(() => decompress(2, xerial(text).subarray(0, 18), mebibyte)).toThrow('cut off');
  const negative = xerial(text);
  negative.writeInt32BE(-2, 16);
  expect(() => decompress(2, negative, mebibyte)).toThrow('cut off');
});

test('a block of snappy that only says that it is large takes no memory', () => {
  const bomb = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00]);
  expect(() => decompress(2, bomb, mebibyte)).toThrow('has more than 1048576 bytes');
  expect(() => decompress(2, Buffer.from([0xff, 0xff]), mebibyte)).toThrow('without a length');
  expect(() => decompress(2, Buffer.alloc(0), mebibyte)).toThrow('without a length');
});

test('lz4 is read with every flag of its frames: linked blocks, lengths and checksums', () => {
  for (const flags of [0x60, 0x40, 0x68, 0x70, 0x64, 0x7c, 0x5c])
    expect(decompress(3, lz4Frame(text, { flags }), text.length).equals(text)).toBe(true);
  const incompressible = randomBytes(100_000);
  expect(decompress(3, lz4.compressFrameSync(incompressible), 100_000).equals(incompressible)).toBe(true);
  const two = Buffer.concat([lz4Frame(text, { flags: 0x60 }), lz4Frame(text, { flags: 0x40 })]);
  expect(decompress(3, two, 2 * text.length).equals(Buffer.concat([text, text]))).toBe(true);
});

test('a frame of lz4 is refused before its blocks are, if it says that it is too large, of another version, or of nothing', () => {
  expect(() => decompress(3, lz4Frame(text, { flags: 0x68 }), 1_000)).toThrow('has more than 1000 bytes');
  expect(() => decompress(3, lz4Frame(text, { flags: 0xa0 }), mebibyte)).toThrow('unknown version');
  expect(() => decompress(3, Buffer.from('not at all'), mebibyte)).toThrow('no frame of lz4');
  const large = lz4Frame(text, { flags: 0x60 });
  large.writeUInt32LE(0x7fffffff, 7);
  expect(() => decompress(3, large, mebibyte)).toThrow('cut off');
});

test('a codec that nobody knows yet is named by its number', () => {
  expect(() => decompress(5, text, mebibyte)).toThrow('is compressed by codec 5, which is not known here');
});
