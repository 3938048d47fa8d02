import { decodeContent } from '#lib/content-coding';
import { type JudgedPayload, judgedPayload } from './judged-payload.ts';

/**
 * A payload that came under a Content-Encoding, as filters see it: what is in it. One that is more than is decoded, or encoded in a way that is
 * not known, can't be judged, and matches every filter; bytes that are not what their encoding says are judged as they stand.
 */
export async function decodedPayload(bytes: Buffer, contentEncoding: string | null): Promise<JudgedPayload> {
  const decoded = await decodeContent(bytes, contentEncoding);
  if ('content' in decoded) return judgedPayload(decoded.content);
  return decoded.undecoded === 'malformed' ? judgedPayload(bytes) : unjudgeable;
}

const unjudgeable: JudgedPayload = { bytes: 0, content: () => ({ kind: 'unwieldy' }) };
