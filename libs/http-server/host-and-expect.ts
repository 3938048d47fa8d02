/**
 * Node itself answers two kinds of requests with a bare status: those without a Host header, and those with an Expect header other than
 * `100-continue`. These options leave both to the app, so that errors have one format.
 */
import type { Server } from 'node:http';

/** Options of `http.createServer`. The caller must check `problemOfHead` itself. */
export const validateHostOurselves = { requireHostHeader: false } as const;

/** Serves requests with an unknown expectation as if they had none, as RFC 9110 (10.1.1) allows. */
export function ignoreExpectHeader(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
