import { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest, type RequestPayload } from 'fastify';

/**
 * The whole body, before anything else reads it: the hash covers its bytes, and the store is asked only after that.
 *
 * @throws the framework's error if a body exceeds the route's limit, or ends early
 */
export function readBody(request: FastifyRequest, payload: RequestPayload): Promise<Buffer> {
  const limit = request.routeOptions.bodyLimit;
  const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // Listened to, and not iterated: an iteration that is broken off destroys the connection, and with it the answer.
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit) return void chunks.push(chunk);
      payload.off('data', take);
      reject(tooLarge());
    };
    payload.on('data', take);
    payload.on('end', () => resolve(Buffer.concat(chunks)));
    payload.on('error', (error) => reject(Object.assign(error, { statusCode: 400 })));
  });
}

/** For the next parser. `Readable.from` would cost several turns of promises. */
export const streamOf = (body: Buffer): Readable =>
  new Readable({
    read() {
      if (body.length > 0) this.push(body);
      this.push(null);
    },
  });
