import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  /** Of one body. */
  maxBytes: number;
  /** Of all bodies that are being read: ten thousand slow senders must not take ten thousand times `maxBytes`. */
  maxTotalBytes: number;
  /** From the first wish to read to the last byte. */
  timeoutMs: number;
}

export type ReadBody =
  { body: Buffer } | { stopped: 'payload_too_large' | 'request_timeout' | 'unavailable' | 'client_gone' };

export type BodyReader = (request: IncomingMessage, onChunk: (chunk: Buffer) => void) => Promise<ReadBody>;

/** Reads bodies whole, but never more than the limits; where it stops early, the rest is still in the stream. Never rejects. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  let totalBytes = 0;

  return (request, onChunk) =>
    new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let bytes = 0;

      const end = (result: ReadBody): void => {
        clearTimeout(timer);
        request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
        totalBytes -= bytes;
        resolve(result);
      };
      const onData = (chunk: Buffer): void => {
        bytes += chunk.length;
        totalBytes += chunk.length;
        if (bytes > limits.maxBytes || totalBytes > limits.maxTotalBytes) {
          request.pause();
          return end({ stopped: bytes > limits.maxBytes ? 'payload_too_large' : 'unavailable' });
        }
        chunks.push(chunk);
        onChunk(chunk);
      };
      const onEnd = (): void =>
        end({ body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes) });
      const onGone = (): void => end({ stopped: 'client_gone' });
      const timer = setTimeout(() => {
        request.pause();
        end({ stopped: 'request_timeout' });
      }, limits.timeoutMs);

      // It may have gone while its source was looked up: then no event will tell.
      if (request.destroyed) return onGone();
      request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    });
}

export interface DiscardLimits {
  maxBytes: number;
  timeoutMs: number;
}

/**
 * Reads what is left of a refused request and throws it away, so that the sender, who may still be writing, gets to read the answer and
 * can use the connection again. Whoever has more left than this cuts the connection.
 */
export function discardRest(request: IncomingMessage, limits: DiscardLimits): void {
  if (request.readableEnded || request.destroyed) return;
  const { socket } = request;
  let bytes = 0;
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, limits.timeoutMs);
  // The socket's `close`: once it has been answered, a request hears no more of its connection.
  const end = (): void => {
    clearTimeout(timer);
    request.off('end', end);
    socket.off('close', end);
  };
  socket.once('close', end);
  request
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) cut();
    })
    .on('end', end)
    .resume();
}
