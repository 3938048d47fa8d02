import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Characters that are sent at once: parts may be much smaller. */
const pieceLength = 64 * 1024;

/**
 * Sends JSON as it is made: the next part is asked for when the client has taken those before, so however long the answer is, memory holds a
 * piece of it. One whose making fails later on is cut off: the client sees that it is incomplete.
 *
 * @param parts texts; an error before the first piece is answered as any other
 */
export async function sendParts(reply: FastifyReply, parts: AsyncIterable<string>): Promise<FastifyReply> {
  const pieces = inPieces(parts);
  // The socket asks for more, and knows nothing of the request.
  const within = AsyncLocalStorage.snapshot();
  const next = (): Promise<IteratorResult<string>> => within(() => pieces.next());
  const first = await next();
  async function* rest(): AsyncGenerator<string> {
    try {
      for (let piece = first; piece.done !== true; piece = await next()) yield piece.value;
    } finally {
      await pieces.return(undefined);
    }
  }
  return reply.type('application/json; charset=utf-8').send(Readable.from(rest()));
}

async function* inPieces(parts: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let piece = '';
  for await (const part of parts) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
