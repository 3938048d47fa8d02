import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export type SendContinue = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * `Expect: 100-continue` (RFC 9110, section 10.1.1): Node itself answers `100 Continue` before anyone has looked at the request. With this,
 * a sender continues only when its body is wanted, and a refused one never sends it. (Node closes the connection after a refusal without
 * `100 Continue`: it can't know whether the body comes.)
 */
export function deferContinue(server: Server): SendContinue {
  const waiting = new WeakSet<IncomingMessage>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
  return (request, response) => {
    if (waiting.delete(request)) response.writeContinue();
  };
}
