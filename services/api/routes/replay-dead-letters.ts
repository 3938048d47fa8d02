import { wholeNumber } from '#lib/api-contract';
import { createDeadLetterReplay, type DeadLetterFilter, maxReplayDeadLetters } from '#lib/replay-store';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid, sendLimitReached } from '../http/send-problem.ts';
import { type Operation, ref } from '../openapi/operation.ts';
import {
  type GivenDeadLetterFilter,
  deadLetterFilterFields,
  readDeadLetterFilter,
} from '../replays/dead-letter-filter-fields.ts';
import { newReplay } from '../replays/new-replay.ts';
import { replayLimitReached } from '../replays/replay-limit.ts';
import { sendReplay } from '../replays/send-replay.ts';
import { previewReplay } from '../resources/dead-letter.ts';
import { startedReplay } from '../resources/replay.ts';
import { type Route, route } from '../route.ts';
import { replayRate } from '../settings/fields.ts';

interface Body extends GivenDeadLetterFilter {
  ids?: string[];
  all?: boolean;
  limit?: number;
  rate_per_second?: number;
  dry_run?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ids: { type: 'array', minItems: 1, maxItems: 10_000, items: { type: 'string', maxLength: 100 } },
    ...deadLetterFilterFields,
    all: { type: 'boolean' },
    limit: wholeNumber(1, maxReplayDeadLetters),
    rate_per_second: replayRate,
    dry_run: { type: 'boolean' },
  },
} as const;

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'replayDeadLetters',
  summary: 'Replay matching dead letters',
  description:
    'Requires at least one filter, or `all`: true. With `dry_run`, nothing is sent; without it, the key needs the scope `write`.',
  answers: {
    202: {
      is: 'The replay, or, with `dry_run`, the dead letters it would send',
      body: { anyOf: [ref('Replay'), ref('ReplayPreview')] },
    },
  },
  errors: ['limit_reached'],
};

/**
 * `POST /v1/dead-letters/replay`: claims the dead letters that match and are dead, the oldest first, and answers; a dispatcher sends them. With
 * `dry_run` it answers what would go, and nothing changes.
 */
export const replayDeadLetters: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/dead-letters/replay',
    config: { operation, dryRunScope: 'read', audit: 'dead_letters.replay', ofAllTenants: true },
    bodyLimit: bodyLimits.ids,
    schema: { body },
    async handler(request, reply) {
      const { tenant, body, idempotent } = request;
      const { effects } = idempotent;
      const { ids, all = false, limit = maxReplayDeadLetters, rate_per_second: ratePerSecond = null } = body;
      const read = readDeadLetterFilter(body, (name) => `/${name}`);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const filter: DeadLetterFilter = ids === undefined ? read.filter : { ...read.filter, ids };
      if (!all && Object.keys(filter).length === 0)
        return sendInvalid(reply, [{ field: '(body)', message: 'must have at least one filter, or `all`: true' }]);

      if (body.dry_run === true) {
        const preview = await previewReplay(effects, tenant, filter, limit);
        return reply.code(202).send({ dry_run: true, ...preview });
      }
      const reached = await replayLimitReached(deps, effects, tenant, 'several');
      if (reached !== undefined) return sendLimitReached(reply, tenant, reached, deps.limits);
      const begun = newReplay(deps, { tenant, request: { ...body }, ratePerSecond });
      const replay = await effects.transaction(async (tx) => {
        const started = await createDeadLetterReplay(tx, { ...begun, filter, limit });
        await request.audit(tx, { id: started.id, after: startedReplay(started) });
        return started;
      });
      return sendReplay(reply, replay);
    },
  });
