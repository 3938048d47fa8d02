import { wholeNumber } from '#lib/api-contract';
import { createDeadLetterReplay, maxReplayDeadLetters } from '#lib/replay-store';
import { sendInvalid, sendLimitReached, sendMissing, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { deadLetterFilterFields, readDeadLetterFilter } from '../replays/dead-letter-filter-fields.ts';
import { newReplay } from '../replays/new-replay.ts';
import { replayLimitReached } from '../replays/replay-limit.ts';
import { sendReplay } from '../replays/send-replay.ts';
import { endpoints } from '../resources/endpoint.ts';
import { startedReplay } from '../resources/replay.ts';
import { type Route, route } from '../route.ts';
import { replayRate } from '../settings/fields.ts';

interface Body {
  since: string;
  limit?: number;
  rate_per_second?: number;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['since'],
  properties: {
    since: deadLetterFilterFields.since,
    limit: wholeNumber(1, maxReplayDeadLetters),
    rate_per_second: replayRate,
  },
} as const;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'recoverEndpoint',
  summary: 'Replay the dead letters of an endpoint since a given time',
  answers: { 202: { is: 'The replay', body: 'Replay', headers: ['Location'] } },
  errors: ['conflict', 'gone', 'limit_reached'],
};

/** `POST /v1/endpoints/{id}/recover`: a replay of the endpoint's deliveries that have died since then, the oldest first. */
export const recoverEndpoint: Route = (deps) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints/:id/recover',
    config: { operation, capability: 'replay', audit: 'endpoint.recover' },
    schema: { body },
    async handler(request, reply) {
      const { tenant, body, idempotent } = request;
      const { effects } = idempotent;
      const { since, limit = maxReplayDeadLetters, rate_per_second: ratePerSecond = null } = body;
      const endpoint = await endpoints.find(effects, tenant, request.params.id);
      if (endpoint === undefined || endpoint.deleted_at !== null) return sendMissing(reply, endpoint);
      const given = { stage: 'dispatcher', endpoint_id: endpoint.id, since } as const;
      const read = readDeadLetterFilter(given, (name) => `/${name}`);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      if (endpoint.disabled_at !== null)
        return sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');

      const reached = await replayLimitReached(deps, effects, tenant, 'several');
      if (reached !== undefined) return sendLimitReached(reply, tenant, reached, deps.limits);
      const begun = newReplay(deps, { tenant, request: { ...given, ...body }, ratePerSecond });
      const replay = await effects.transaction(async (tx) => {
        const started = await createDeadLetterReplay(tx, { ...begun, filter: read.filter, limit });
        await request.audit(tx, { id: endpoint.id, after: startedReplay(started) });
        return started;
      });
      return sendReplay(reply, replay);
    },
  });
