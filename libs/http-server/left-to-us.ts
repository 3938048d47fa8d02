/**
 * Node answers two kinds of requests by itself, with a status and nothing else: one that does not say its host, and one that expects
 * something other than `100-continue`. These leave both to the app, which has a form for its errors.
 */
import type { IncomingMessage, Server } from 'node:http';

/** For `http.createServer`. Whoever gives it looks for `lacksHost`. */
export const hostLeftToUs = { requireHostHeader: false } as const;

/** RFC 9112 (3.2) has it refused with 400; HTTP/1.0 knew no Host. */
export const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion !== '1.0';

/** RFC 9110 (10.1.1) lets an expectation that is not known be passed over. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
