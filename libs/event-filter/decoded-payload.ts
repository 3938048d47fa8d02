import { decodeContent } from '#lib/content-coding';
import { type JudgedPayload, judgedPayload } from './judged-payload.ts';

/**
 * A payload with a Content-Encoding, decoded for filters. If it is too large to decode, or its encoding is unknown, it can't be evaluated and
 * matches every filter; bytes that don't fit their encoding are evaluated as they are.
 */
export async function decodedPayload(bytes: Buffer, contentEncoding: string | null): Promise<JudgedPayload> {
  const decoded = await decodeContent(bytes, contentEncoding);
  if ('content' in decoded) return judgedPayload(decoded.content);
  return decoded.undecoded === 'malformed' ? judgedPayload(bytes) : unjudgeable;
}

const unjudgeable: JudgedPayload = { bytes: 0, content: () => ({ kind: 'unwieldy' }) };
