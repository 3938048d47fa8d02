/**
 * The codecs of record batches (https://kafka.apache.org/documentation/#recordbatch). They work at once, and not in the thread pool: a batch of
 * the usual size takes some ten microseconds, less than the way there and back.
 */
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { compressLz4, decompressLz4 } from './lz4.ts';
import { compressSnappy, decompressSnappy } from './snappy.ts';
import { tooLarge, UndecodableError } from './undecodable.ts';

/** By their number in a batch's attributes. */
export const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

interface Codec {
  /** @throws if the bytes are broken, or become more than `maxBytes` */
  decompress(bytes: Buffer, maxBytes: number): Buffer;
  compress(bytes: Buffer): Buffer;
}

const chunkSize = 64 * 1024;
/** The fastest levels: docs/adr/0041-compression.md has what the others would save. */
const gzipLevel = 1;
const zstdLevel = 1;

const same = (bytes: Buffer): Buffer => bytes;

const codecs: Readonly<Record<Compression, Codec>> = {
  none: { decompress: same, compress: same },
  gzip: {
    decompress: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength, chunkSize }),
    compress: (bytes) => gzipSync(bytes, { level: gzipLevel, chunkSize }),
  },
  snappy: { decompress: decompressSnappy, compress: compressSnappy },
  lz4: { decompress: decompressLz4, compress: compressLz4 },
  zstd: {
    decompress: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength, chunkSize }),
    compress: (bytes) =>
      zstdCompressSync(bytes, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }),
  },
};

/** The codec's name; one that nobody has heard of yet has its number. */
export const nameOfCodec = (id: number): string => compressions[id] ?? `codec ${id}`;

/**
 * @param id the codec's number
 * @param maxBytes the most that it may become
 * @throws UndecodableError for an unknown codec, broken bytes, and more than `maxBytes`: before as much memory is taken
 */
export function decompress(id: number, bytes: Buffer, maxBytes: number): Buffer {
  const name = compressions[id];
  if (name === undefined) throw new UndecodableError(`is compressed by ${nameOfCodec(id)}, which is not known here`);
  try {
    return codecs[name].decompress(bytes, maxBytes);
  } catch (error) {
    if (error instanceof UndecodableError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new UndecodableError(`can't be decompressed by ${name}: ${(error as Error).message}`, { cause: error });
  }
}

export const compress = (compression: Compression, bytes: Buffer): Buffer => codecs[compression].compress(bytes);
