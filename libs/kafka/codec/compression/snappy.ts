import snappy from 'snappy';
import { tooLarge, UndecodableError } from './undecodable.ts';

/** The framing of snappy-java (https://github.com/xerial/snappy-java#compatibility-notes), which Kafka's Java client writes. */
const xerialMagic = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
/** The magic and two versions. */
const xerialHeaderBytes = 16;
const lengthBytes = 4;
/** A length of up to 32 bits. */
const maxVarintBytes = 5;

/**
 * Decompresses both framings that Kafka's clients write: that of snappy-java, and one block without a framing (librdkafka).
 *
 * @throws UndecodableError before it takes more memory than that
 */
export function decompressSnappy(bytes: Buffer, maxBytes: number): Buffer {
  if (!bytes.subarray(0, xerialMagic.length).equals(xerialMagic)) return decompressRaw(bytes, maxBytes);
  const blocks: Buffer[] = [];
  let room = maxBytes;
  for (let at = xerialHeaderBytes; at < bytes.length;) {
    const start = at + lengthBytes;
    const end = start > bytes.length ? start : start + bytes.readInt32BE(at);
    if (end < start || end > bytes.length) throw new UndecodableError('has a block of snappy that is cut off');
    const block = decompressRaw(bytes.subarray(start, end), room);
    room -= block.length;
    blocks.push(block);
    at = end;
  }
  return Buffer.concat(blocks);
}

/** Without framing. */
export const compressSnappy = (bytes: Buffer): Buffer => snappy.compressSync(bytes);

function decompressRaw(bytes: Buffer, maxBytes: number): Buffer {
  if (declaredLength(bytes) > maxBytes) throw tooLarge(maxBytes);
  return snappy.uncompressSync(bytes, { asBuffer: true }) as Buffer;
}

/** A block begins with its decompressed length as a varint: https://github.com/google/snappy/blob/main/format_description.txt */
function declaredLength(bytes: Buffer): number {
  let length = 0;
  for (const [index, byte] of bytes.subarray(0, maxVarintBytes).entries()) {
    length += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return length;
  }
  throw new UndecodableError('has a block of snappy without a length');
}
