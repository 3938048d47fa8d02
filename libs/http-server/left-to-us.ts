/**
 * Node answers two kinds of requests by itself, with a status and nothing else: one that does not say its host, and one that expects
 * something other than `100-continue`. These leave both to the app, which has a form for its errors.
 */
import type { Server } from 'node:http';

/** For `http.createServer`. Who sets it must call `problemOfHead`. */
export const hostLeftToUs = { requireHostHeader: false } as const;

/** RFC 9110 (10.1.1) lets an expectation that is not known be passed over. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
