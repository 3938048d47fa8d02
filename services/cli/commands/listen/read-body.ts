import type { IncomingMessage } from 'node:http';

const maxBodyBytes = 10 * 1024 * 1024;
/** Bytes that are read of a body above the limit: a sender reads the answer only after it has sent. */
const maxReadBytes = 10 * maxBodyBytes;

/**
 * The whole body, or the number of bytes received of one above the limit.
 *
 * @throws if the sender disconnects
 */
export async function readArrivingBody(request: IncomingMessage): Promise<Buffer | { tooLargeBytes: number }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxReadBytes) break;
  }
  return bytes > maxBodyBytes ? { tooLargeBytes: bytes } : Buffer.concat(chunks);
}
