import type { IncomingMessage } from 'node:http';
import type { Receiver, WebhookHandler } from './receiver.ts';

/** The part of a Fastify instance that the plugin uses: no version of Fastify is needed for its types. */
interface FastifyApp {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: never, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  raw: IncomingMessage;
  body: unknown;
}

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

/**
 * A plugin with one POST route. Its body parser is its own: other routes keep theirs.
 *
 * @example app.register(fastifyRoute(receiver, '/webhooks', async (webhook) => …))
 */
export function fastifyRoute(
  receiver: Receiver,
  path: string,
  handler: WebhookHandler,
): (app: FastifyApp) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    const options = { parseAs: 'buffer', bodyLimit: receiver.maxBodyBytes } as const;
    app.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
    app.post(path, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const answer = await receiver.receive({ headers: request.raw.rawHeaders, body }, handler);
      reply.code(answer.status);
      reply.headers(answer.headers);
      return reply.send(answer.body);
    });
  };
}
