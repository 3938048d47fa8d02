/**
 * The ceiling: a server that reads a webhook's body, computes its signature and answers, and keeps nothing: a child with a channel to its
 * parent, whom it tells its port.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = Buffer.from('{"id":"rcp_00000000000000000000000000"}');
// A key object: from bytes as they are `createHmac` takes four times as long, and a ceiling is not to be low.
const key = createSecretKey(Buffer.alloc(32, 1));

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const signature = createHmac('sha256', key).update(Buffer.concat(chunks)).digest('base64');
    const isSigned = signature.length === 44;
    response
      .writeHead(isSigned ? 202 : 401, { 'content-type': 'application/json', 'content-length': answer.length })
      .end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
