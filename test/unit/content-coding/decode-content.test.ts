import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { maxPayloadBytes } from '#lib/contract';
import { decodeContent } from '#lib/payload';

const text = Buffer.from('{"id":"evt_1","größe":[1,2,3]}');
const mebibyte = 1024 * 1024;
const codings: readonly (readonly [name: string, encode: (bytes: Buffer) => Buffer])[] = [
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => gzipSync(bytes)],
  ['x-gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  // The highest quality, its default, takes seconds.
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
];
const compressing = codings.filter(([name]) => name !== 'identity');

test.each(codings)('%s is decoded, however it is spelled', async (name, encode) => {
  for (const spelled of [name, name.toUpperCase(), ` ${name}\t`])
    expect(await decodeContent(encode(text), spelled)).toEqual({ content: text });
});

test('without an encoding it is the bytes themselves', async () => {
  expect(await decodeContent(text, null)).toEqual({ content: text });
});

test.each(['gzip, gzip', 'compress', 'constructor', '__proto__', 'gzip;q=1', 'gzip\0'])(
  '%j is no encoding that is undone here',
  async (encoding) => {
    expect(await decodeContent(gzipSync(text), encoding)).toEqual({ undecoded: 'unsupported' });
  },
);

test.each(compressing)('%s that is something else, or ends too early, is malformed', async (name, encode) => {
  const encoded = encode(Buffer.alloc(10_000, text));
  for (const bytes of [text, Buffer.alloc(0), encoded.subarray(0, encoded.length / 2)])
    expect(await decodeContent(bytes, name)).toEqual({ undecoded: 'malformed' });
});

/** Bytes that don't repeat, so that it is the size that counts, not the ratio. */
const various = (bytes: number): Buffer =>
  Buffer.from(
    Array.from({ length: bytes / 8 }, (_, at) => ((at * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')).join(
      '',
    ),
  );

test.each(compressing)('%s of up to two payloads is decoded, of more it is not', async (name, encode) => {
  const largest = various(2 * maxPayloadBytes);
  const decoded = await decodeContent(encode(largest), name);
  expect('content' in decoded && decoded.content.equals(largest)).toBe(true);
  const beyond = Buffer.concat([largest, Buffer.from('x')]);
  expect(await decodeContent(encode(beyond), name)).toEqual({ undecoded: 'too_large' });
});

test.each(compressing)(
  '%s of more than a hundred times its bytes is not decoded, but for what is small',
  async (name, encode) => {
    const bomb = encode(Buffer.alloc(mebibyte, ' '));
    expect(mebibyte / bomb.length).toBeGreaterThan(100);
    expect(await decodeContent(bomb, name)).toEqual({ undecoded: 'too_large' });
    const small = Buffer.alloc(64 * 1024, ' ');
    const decoded = await decodeContent(encode(small), name);
    expect('content' in decoded && decoded.content.equals(small)).toBe(true);
  },
);

test.each(compressing)(
  'a bomb of %s costs no more memory than the bound, and never holds the process up',
  async (name, encode) => {
    const bomb = encode(Buffer.alloc(24 * mebibyte));
    let turns = 0;
    const turn = setInterval(() => (turns += 1), 1);
    const before = process.memoryUsage().arrayBuffers;
    const all = await Promise.all(Array.from({ length: 8 }, () => decodeContent(bomb, name)));
    const grown = process.memoryUsage().arrayBuffers - before;
    clearInterval(turn);
    expect(new Set(all.map((decoded) => JSON.stringify(decoded)))).toEqual(new Set(['{"undecoded":"too_large"}']));
    expect(grown).toBeLessThan(32 * mebibyte);
    expect(turns).toBeGreaterThan(0);
  },
);

test('a window of zstd that is larger than the 8 MB of RFC 9659 is not given', async () => {
  // A frame of one raw block, written by RFC 8878 (3.1.1): magic number, descriptor, window, block header, bytes.
  const frameOf = (windowLog: number): Buffer => {
    const block = Buffer.alloc(3);
    block.writeUIntLE(text.length * 8 + 1, 0, 3);
    return Buffer.concat([Buffer.from('28b52ffd00', 'hex'), Buffer.from([(windowLog - 10) * 8]), block, text]);
  };
  expect(await decodeContent(frameOf(23), 'zstd')).toEqual({ content: text });
  expect(await decodeContent(frameOf(24), 'zstd')).toEqual({ undecoded: 'malformed' });
});
