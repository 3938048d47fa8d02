import { type Receiver, tooLarge, type WebhookHandler } from './receiver.ts';

/**
 * For servers that speak `Request` and `Response` on Node, such as Next.js and Hono.
 *
 * @example export const POST = fetchHandler(receiver, async (webhook) => …);
 */
export function fetchHandler(receiver: Receiver, handler: WebhookHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = await readBody(request, receiver.maxBodyBytes);
    const reply = body === undefined ? tooLarge() : await receiver.receive({ headers: request.headers, body }, handler);
    return new Response(reply.status === 204 ? null : reply.body, { status: reply.status, headers: reply.headers });
  };
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (request.bodyUsed) {
    throw new Error('the body has been read before: the receiver needs its raw bytes');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
