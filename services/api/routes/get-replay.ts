import { replaysAhead } from '#lib/replay-store';
import { bodyEtag, isUnchanged } from '../http/etag.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { whileAsked } from '../keys/why-ended.ts';
import type { Operation } from '../openapi/operation.ts';
import { readWait, waitParameter } from '../polling/read-wait.ts';
import { sendNoPlace } from '../polling/send-no-place.ts';
import { failuresOf, findReplay, isSending, replayHasEnded, replayJson } from '../resources/replay.ts';
import { type Route, route, type RouteDeps } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: { wait: waitParameter } } as const;

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'getReplay',
  summary: 'Read the progress of a replay; optionally wait for it',
  description:
    'It is `sent` once every item is sent, and `completed` once their deliveries have ended: `outcome` says how. With `wait`, the response is held until the replay changes or has ended, or the time is over; with `If-None-Match`, until it differs from that one.',
  parameters: { wait: 'seconds, at most 60; `Prefer: wait=N` does the same' },
  answers: {
    200: { is: 'The replay', body: 'ReplayWithFailures', headers: ['ETag', 'Preference-Applied'] },
    304: { is: 'The response would be the one that `If-None-Match` names', headers: ['ETag'] },
  },
};

/** `GET /v1/replays/{id}`; with `wait`, held until it changes or has ended. */
export const getReplay: Route = (deps) =>
  route<{ Params: { id: string }; Querystring: { wait?: string } }>({
    method: 'GET',
    url: '/v1/replays/:id',
    config: { operation, capability: 'view', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, credential, params, query, headers } = request;
      const read = readWait(query.wait, headers.prefer);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const { wait } = read;
      if (wait?.preferred === true) void reply.header('preference-applied', `wait=${wait.seconds}`);
      let body = await bodyOf(deps, tenant, params.id);
      if (body === undefined) return sendProblem(reply, 'not_found');
      const isKnown = headers['if-none-match'] === undefined || isUnchanged(headers['if-none-match'], body.text);
      if (wait !== undefined && wait.seconds > 0 && !replayHasEnded(body.replay) && isKnown) {
        const place = deps.polling.held.enter(tenant, credential);
        if (typeof place === 'string') return sendNoPlace(deps, reply, place);
        const signal = AbortSignal.any([whileAsked(reply, deps), deps.closing]);
        await deps.replayWatch.changed(tenant, body.replay, wait.seconds * 1_000, signal).finally(() => place.leave());
        body = await bodyOf(deps, tenant, params.id);
        if (body === undefined) return sendProblem(reply, 'not_found');
      }
      void reply.header('cache-control', 'private, no-cache').header('etag', bodyEtag(body.text));
      if (isUnchanged(headers['if-none-match'], body.text)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body.text);
    },
  });

async function bodyOf({ postgres }: RouteDeps, tenant: string, id: string) {
  const replay = await findReplay(postgres, tenant, id);
  if (replay === undefined) return undefined;
  const failures = replay.failed === 0 ? {} : await failuresOf(postgres, tenant, id);
  const ahead = !isSending(replay) ? 0 : await replaysAhead(postgres, tenant, id);
  return { replay, text: JSON.stringify({ ...replayJson(replay), ahead, failures }) };
}
