import type { IncomingMessage } from 'node:http';
import type { Clock } from '#lib/runtime';
import { createChunkJoiner } from './chunk-joiner.ts';

export interface BodyLimits {
  /** Limit of one body. */
  maxBytes: number;
  /** Limit of all bodies being read: ten thousand slow senders must not take ten thousand times `maxBytes`. */
  maxTotalBytes: number;
  /** From the first wish to read to the last byte. */
  timeoutMs: number;
}

/** The part that was read of a refused body. */
export interface ReadSoFar {
  bytes: number;
  /** The first bytes; copy them to keep them, since the whole body may share their memory. */
  beginning: Buffer;
}

type ReadBody =
  | { body: Buffer }
  | { stopped: 'payload_too_large' | 'request_timeout' | 'unavailable'; read: ReadSoFar }
  | { stopped: 'client_gone' };

export type BodyReader = (request: IncomingMessage, onBytes: (bytes: Buffer) => void) => Promise<ReadBody>;

const beginningBytes = 16 * 1024;
/**
 * Every chunk costs some microseconds, however small: a megabyte in single bytes is seconds for all. Chunks that are smaller than this on
 * the average of the largest body are as much too much as bytes.
 */
const leastChunkBytes = 32;

export const readSoFar = (body: Buffer): ReadSoFar => ({
  bytes: body.length,
  beginning: body.subarray(0, beginningBytes),
});

/** Reads whole bodies within the limits; if it stops early, the rest is still in the stream. Never rejects. */
export function createBodyReader({ clock, ...limits }: BodyLimits & { clock: Clock }): BodyReader {
  let totalBytes = 0;
  const maxChunks = limits.maxBytes / leastChunkBytes;

  return (request, onBytes) =>
    new Promise((resolve) => {
      const joiner = createChunkJoiner(onBytes);
      let bytes = 0;
      let chunks = 0;

      const end = (result: ReadBody): void => {
        stopLimit();
        request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
        totalBytes -= bytes;
        resolve(result);
      };
      const stop = (stopped: 'payload_too_large' | 'request_timeout' | 'unavailable'): void => {
        request.pause();
        end({ stopped, read: { bytes, beginning: joiner.beginning(beginningBytes) } });
      };
      const onData = (chunk: Buffer): void => {
        bytes += chunk.length;
        chunks += 1;
        totalBytes += chunk.length;
        if (bytes > limits.maxBytes || chunks > maxChunks) return stop('payload_too_large');
        if (totalBytes > limits.maxTotalBytes) return stop('unavailable');
        joiner.add(chunk);
      };
      const onEnd = (): void => end({ body: joiner.end() });
      const onGone = (): void => end({ stopped: 'client_gone' });
      const stopLimit = clock.startLimit(limits.timeoutMs, () => stop('request_timeout'));

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
 * can use the connection again. The connection is cut if more than this is left.
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
      bytes += Math.max(chunk.length, leastChunkBytes);
      if (bytes > limits.maxBytes) cut();
    })
    .on('end', end)
    .resume();
}
