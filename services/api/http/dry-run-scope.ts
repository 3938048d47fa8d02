import type { preValidationHookHandler } from 'fastify';
import { hasScope } from '../keys/scopes.ts';
import { sendProblem } from './send-problem.ts';

/** For routes of the scope `read` that change something unless the body has `dry_run`: true. */
export const writeUnlessDryRun: preValidationHookHandler = (request, reply, done) => {
  const { dry_run: isDryRun } = (request.body ?? {}) as { dry_run?: unknown };
  if (isDryRun === true || hasScope(request.scopes, 'write')) done();
  else sendProblem(reply, 'forbidden', 'The key does not have the scope write');
};
