import { createHmac, createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = Buffer.from('{"id":"rcp_00000000000000000000000000"}');
// A key object: from bytes as they are `createHmac` takes four times as long, and a ceiling is not to be low.
const key = createSecretKey(Buffer.alloc(32, 1));

/**
 * A child process with a server that reads a webhook's body and computes its signature; sends its port to its parent.
 *
 * @param keep stores the body; success is answered 202
 */
export function serve(keep: (body: Buffer, onDone: (isKept: boolean) => void) => void): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const isSigned = createHmac('sha256', key).update(body).digest('base64').length === 44;
      keep(body, (isKept) => {
        const status = isSigned && isKept ? 202 : 500;
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
      });
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
}
