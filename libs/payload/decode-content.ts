/**
 * The content of a body that came under a `Content-Encoding` (RFC 9110, 8.4), for who has to look into it. Bodies are kept and sent as they
 * came; decoding is for finding things in them alone, so it may give up: a stranger's bytes decide what it costs.
 *
 * It works in the thread pool, in pieces, and stops at the first byte beyond the bound.
 */
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { maxPayloadBytes } from '#lib/contract';

export type DecodedContent =
  | { content: Buffer }
  /**
   * `unsupported`: a coding that is not known here, or several on top of each other; `too_large`: beyond the bounds; `malformed`: not what its
   * coding says.
   */
  | { undecoded: 'unsupported' | 'too_large' | 'malformed' };

/** Twice the limit of an unencoded body: parsing so much JSON blocks the process for about 20 ms. */
const maxBytes = 2 * maxPayloadBytes;
/** JSON becomes five to ten times shorter, long lists of one kind fifty times; a thousand is a bomb. */
const maxRatio = 100;
/** Bodies up to this size may have any compression ratio. */
const alwaysBytes = 64 * 1024;
const chunkSize = 64 * 1024;

type Decode = (bytes: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>;

const asDeflate = promisify<Buffer, object, Buffer>(inflate);
const asRawDeflate = promisify<Buffer, object, Buffer>(inflateRaw);
const asGzip = promisify<Buffer, object, Buffer>(gunzip);
const asZstd = promisify<Buffer, object, Buffer>(zstdDecompress);

const decoders: Readonly<Record<string, Decode>> = {
  gzip: asGzip,
  'x-gzip': asGzip,
  // The standard says zlib format; some clients send the raw deflate stream.
  deflate: (bytes, options) =>
    asDeflate(bytes, options).catch((error: unknown) => {
      if (isTooLarge(error)) throw error;
      return asRawDeflate(bytes, options);
    }),
  br: promisify<Buffer, object, Buffer>(brotliDecompress),
  // RFC 9659: no more than 8 MB of window, which the decoder would have to hold.
  zstd: (bytes, options) => asZstd(bytes, { ...options, params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
};

/** @param contentEncoding as the sender wrote it; null if there was none. Never rejects. */
export async function decodeContent(body: Buffer, contentEncoding: string | null): Promise<DecodedContent> {
  const coding = codingOf(contentEncoding)?.toLowerCase();
  if (coding === undefined) return { content: body };
  const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (decode === undefined) return { undecoded: 'unsupported' };
  const maxOutputLength = Math.min(maxBytes, Math.max(alwaysBytes, maxRatio * body.length));
  try {
    return { content: await decode(body, { maxOutputLength, chunkSize }) };
  } catch (error) {
    return { undecoded: isTooLarge(error) ? 'too_large' : 'malformed' };
  }
}

/**
 * The coding that a `Content-Encoding` names; undefined if there is none. Some senders write the charset of their text there, which is no
 * coding: `UTF-8`, `charset=utf-8`.
 */
export function codingOf(contentEncoding: string | null): string | undefined {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !/^(?:identity)?$/i.test(coding) && !isCharset(coding));
  return codings.length === 0 ? undefined : codings.join(', ');
}

function isCharset(coding: string): boolean {
  try {
    return new TextDecoder(coding.replace(/^charset\s*=\s*"?([^"]*)"?$/i, '$1')) instanceof TextDecoder;
  } catch {
    return false;
  }
}

const isTooLarge = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
