import type { preValidationHookHandler } from 'fastify';

/** For requests that say all by their path: no body is an empty one. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};
