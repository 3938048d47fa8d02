import { decodeContent } from '#lib/content-coding';
import { type JudgedPayload, judgedPayload, undecodedPayload } from './judged-payload.ts';

/**
 * A payload with a Content-Encoding, decoded for filters. If it is too large to decode, it can't be evaluated and matches every filter; so does
 * one in an unknown encoding, unless its bytes are JSON. Bytes that don't fit their encoding are evaluated as they are.
 */
export async function decodedPayload(
  bytes: Buffer,
  { contentType, contentEncoding }: { contentType: string; contentEncoding: string | null },
): Promise<JudgedPayload> {
  const decoded = await decodeContent(bytes, contentEncoding);
  if ('content' in decoded) return judgedPayload(decoded.content, contentType);
  switch (decoded.undecoded) {
    case 'malformed':
      return judgedPayload(bytes, contentType);
    case 'unsupported':
      return undecodedPayload(bytes);
    case 'too_large':
      return unjudgeable;
  }
}

const unjudgeable: JudgedPayload = { bytes: 0, content: () => ({ kind: 'unwieldy' }) };
