import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Receiver, tooLarge, type WebhookHandler } from './receiver.ts';

/**
 * A listener of `node:http` for one path, or a route of Express or Connect before any body parser.
 *
 * @example createServer(nodeListener(receiver, async (webhook) => …)).listen(3000)
 */
export function nodeListener(
  receiver: Receiver,
  handler: WebhookHandler,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    if (request.readableDidRead) {
      throw new Error(
        'the body has been read before: the receiver needs its raw bytes, so let it come before body parsers',
      );
    }
    void answer(request, response).catch(() => void response.destroy());
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, receiver.maxBodyBytes);
    const isWhole = body !== undefined;
    const reply = isWhole ? await receiver.receive({ headers: request.rawHeaders, body }, handler) : tooLarge();
    if (!isWhole) response.setHeader('connection', 'close');
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }
}

/** @returns undefined if it is larger; @throws if the connection ends before the body does */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) return void chunks.push(chunk);
      // Read no further; the response says that the connection ends.
      request.pause();
      resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection ended before the body')));
  });
}
