import { decodeContent } from '#lib/payload';
import { type MatchedPayload, matchedPayload, undecodedPayload } from './matched-payload.ts';

/**
 * A payload with a Content-Encoding, decoded for filters. If it is too large to decode, it can't be evaluated and matches every filter; so does
 * one in an unknown encoding, unless its bytes are JSON. Bytes that don't fit their encoding are evaluated as they are.
 */
export async function decodedPayload(
  bytes: Buffer,
  { contentType, contentEncoding }: { contentType: string; contentEncoding: string | null },
): Promise<MatchedPayload> {
  const decoded = await decodeContent(bytes, contentEncoding);
  if ('content' in decoded) return matchedPayload(decoded.content, contentType);
  switch (decoded.undecoded) {
    case 'malformed':
      return matchedPayload(bytes, contentType);
    case 'unsupported':
      return undecodedPayload(bytes);
    case 'too_large':
      return unmatchable;
  }
}

const unmatchable: MatchedPayload = { bytes: 0, content: () => ({ kind: 'unwieldy' }) };
