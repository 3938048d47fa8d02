import { replayDeadLetters } from '#lib/api-contract';
import { maxReplayDeadLetters } from '#lib/contract';
import { createDeadLetterReplay, type DeadLetterFilter } from '#lib/replay-store';
import { readDeadLetterFilter } from '../dead-letters/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, serve } from '../route.ts';
import { previewReplay } from './preview-dead-letters.ts';
import { replayLimitReached } from './replay-limit.ts';
import { startReplay } from './start-replay.ts';

/**
 * Claims the dead letters that match and are dead, the oldest first, and answers; a dispatcher sends them. With `dry_run` it answers what would
 * go, and nothing changes.
 */
const start = serve(
  replayDeadLetters,
  (deps) => async (request, reply) => {
    const { tenant, body, idempotent } = request;
    const { effects } = idempotent;
    const { ids, all = false, limit = maxReplayDeadLetters, rate_per_second: ratePerSecond = null } = body;
    const read = readDeadLetterFilter(body, (name) => `/${name}`);
    if ('errors' in read) return sendInvalid(reply, read.errors);
    const filter: DeadLetterFilter = { ...read.filter, ids };
    if (!all && Object.values(filter).every((value) => value === undefined))
      return sendInvalid(reply, [{ field: '(body)', message: 'must have at least one filter, or `all`: true' }]);

    if (body.dry_run === true) return reply.code(202).send(await previewReplay(effects, tenant, filter, limit));
    const reached = await replayLimitReached(deps, effects, tenant, 'several');
    if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);
    return startReplay(deps, reply, {
      request: { ...body },
      ratePerSecond,
      create: (tx, begun) => createDeadLetterReplay(tx, { ...begun, filter, limit }),
    });
  },
  () => ({ bodyLimit: bodyLimits.ids }),
);

export const deadLetterReplayRoutes: readonly Route[] = [start];
