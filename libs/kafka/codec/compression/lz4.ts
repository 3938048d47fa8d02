/**
 * The frame format of LZ4: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 *
 * The library decompresses frames without a bound, so the frame is walked here, and each block decompressed into what is left of the bound.
 * Checksums are not checked: that of the batch covers all of it (and Kafka wrote wrong ones into the oldest format, KAFKA-3160).
 */
import lz4 from 'lz4-napi';
import { tooLarge, UndecodableError } from './undecodable.ts';

const magic = 0x184d2204;
/** Magic, flags, and the block size. */
const descriptorBytes = 6;
const headerChecksumBytes = 1;
const checksumBytes = 4;
const contentSizeBytes = 8;
const dictionaryIdBytes = 4;
const blockLengthBytes = 4;

const hasDictionary = 0x01;
const hasContentChecksum = 0x04;
const hasContentSize = 0x08;
const hasBlockChecksums = 0x10;
const blocksAreIndependent = 0x20;
const notCompressed = 0x80000000;

/** A block may refer to so much before it, if it is not independent. */
const windowBytes = 64 * 1024;

/** @throws UndecodableError before it takes more memory than that, and one block */
export function decompressLz4(bytes: Buffer, maxBytes: number): Buffer {
  const blocks: Buffer[] = [];
  let room = maxBytes;
  for (let at = 0; at < bytes.length;) {
    const frame = readHeader(bytes, at);
    if (frame.contentSize > BigInt(room)) throw tooLarge(maxBytes);
    const before = blocks.length;
    at = frame.blocksAt;
    for (;;) {
      const length = uint32(bytes, at);
      at += blockLengthBytes;
      if (length === 0) break;
      const end = at + (length & ~notCompressed);
      if (end > bytes.length) throw cutOff();
      const data = bytes.subarray(at, end);
      const block =
        length >= notCompressed
          ? data
          : decompressBlock(
              data,
              Math.min(frame.maxBlockBytes, room),
              frame.isLinked ? windowOf(blocks, before) : undefined,
            );
      if (block === undefined || block.length > room) {
        throw room < frame.maxBlockBytes ? tooLarge(maxBytes) : new UndecodableError('has a broken block of lz4');
      }
      room -= block.length;
      blocks.push(block);
      at = end + frame.blockChecksumBytes;
    }
    at += frame.contentChecksumBytes;
  }
  return Buffer.concat(blocks);
}

/** A frame of independent blocks, the only ones that Kafka's Java client reads. */
export const compressLz4 = (bytes: Buffer): Buffer => lz4.compressFrameSync(bytes);

function readHeader(bytes: Buffer, at: number) {
  if (uint32(bytes, at) !== magic) throw new UndecodableError('has no frame of lz4');
  const flags = bytes[at + 4] ?? 0;
  const sizeCode = ((bytes[at + 5] ?? 0) >> 4) & 0x07;
  if (flags >> 6 !== 1 || sizeCode < 4) throw new UndecodableError('has a frame of lz4 of an unknown version');
  const sizeAt = at + descriptorBytes;
  const sizeBytes = (flags & hasContentSize) === 0 ? 0 : contentSizeBytes;
  if (sizeAt + sizeBytes > bytes.length) throw cutOff();
  return {
    isLinked: (flags & blocksAreIndependent) === 0,
    // 4: 64 KiB, and four times as much for each more.
    maxBlockBytes: 4 ** sizeCode * 256,
    contentSize: sizeBytes === 0 ? 0n : bytes.readBigUInt64LE(sizeAt),
    blocksAt: sizeAt + sizeBytes + ((flags & hasDictionary) === 0 ? 0 : dictionaryIdBytes) + headerChecksumBytes,
    blockChecksumBytes: (flags & hasBlockChecksums) === 0 ? 0 : checksumBytes,
    contentChecksumBytes: (flags & hasContentChecksum) === 0 ? 0 : checksumBytes,
  };
}

/** @returns undefined if it is broken, or larger than that */
function decompressBlock(data: Buffer, maxBytes: number, window: Buffer | undefined): Buffer | undefined {
  // The library takes the most that a block may have for its size, as four bytes before it.
  const sized = Buffer.allocUnsafe(blockLengthBytes + data.length);
  sized.writeUInt32LE(maxBytes, 0);
  data.copy(sized, blockLengthBytes);
  try {
    return lz4.uncompressSync(sized, window);
  } catch {
    return undefined;
  }
}

/** The end of the frame so far. */
function windowOf(blocks: readonly Buffer[], from: number): Buffer {
  const last: Buffer[] = [];
  let bytes = 0;
  for (let index = blocks.length - 1; index >= from && bytes < windowBytes; index -= 1) {
    const block = blocks[index] ?? Buffer.alloc(0);
    last.unshift(block);
    bytes += block.length;
  }
  return Buffer.concat(last).subarray(-windowBytes);
}

function uint32(bytes: Buffer, at: number): number {
  if (at + blockLengthBytes > bytes.length) throw cutOff();
  return bytes.readUInt32LE(at);
}

const cutOff = (): UndecodableError => new UndecodableError('has a frame of lz4 that is cut off');
