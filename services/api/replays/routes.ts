import { cancelReplay, getReplay, listReplayItems, listReplays, type ReplayWithFailures } from '#lib/api-contract';
import { cancelReplay as cancelItems, replaysAhead } from '#lib/replay-store';
import { readWait, sendNoPlace } from '../events/index.ts';
import { bodyEtag, isUnchanged } from '../http/etag.ts';
import { answerPage, type PageRequest, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { whileAsked } from '../keys/why-ended.ts';
import { type Route, type RouteDeps, serve } from '../route.ts';
import {
  failuresOf,
  findReplay,
  isSending,
  itemNumber,
  listReplayItems as queryItems,
  listReplays as queryReplays,
  replayHasEnded,
  replayId,
  replayOf,
} from './queries.ts';

const list = serve(listReplays, ({ postgres, apiUrl }) => (request, reply) => {
  const read = (page: PageRequest) => queryReplays(postgres, request.tenant, page);
  return answerPage({ request, reply, apiUrl }, replayId, read, replayOf);
});

/** With `wait`, held until it changes or has ended. */
const get = serve(getReplay, (deps) => async (request, reply) => {
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
});

async function bodyOf({ postgres }: RouteDeps, tenant: string, id: string) {
  const replay = await findReplay(postgres, tenant, id);
  if (replay === undefined) return undefined;
  const failures = replay.failed === 0 ? {} : await failuresOf(postgres, tenant, id);
  const ahead = isSending(replay) ? await replaysAhead(postgres, tenant, id) : 0;
  const shown: ReplayWithFailures = { ...replayOf(replay), ahead, failures };
  return { replay, text: JSON.stringify(shown) };
}

const items = serve(listReplayItems, ({ postgres, apiUrl }) => async (request, reply) => {
  const { tenant, params, query } = request;
  const page = readPage(query, itemNumber);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  if ((await findReplay(postgres, tenant, params.id)) === undefined) return sendProblem(reply, 'not_found');
  const { status, outcome } = query;
  const rows = await queryItems(postgres, tenant, params.id, { ...page, status, outcome });
  return takePage(rows, page.limit, ({ item }) => ({ cursor: String(item) }), { request, reply, apiUrl });
});

/** Unsent items become dead letters again. The replay stays readable, with its sent items. */
const cancel = serve(cancelReplay, ({ postgres }) => async (request, reply) => {
  const { id } = request.params;
  if (!replayId.test(id)) return sendProblem(reply, 'not_found');
  const status = await postgres.transaction(async (tx) => {
    const before = await cancelItems(tx, request.tenant, id);
    if (before === 'running') await request.audit(tx, { id, before: { status: before } });
    return before;
  });
  if (status === undefined) return sendProblem(reply, 'not_found');
  if (status !== 'running' && status !== 'cancelled')
    return sendProblem(reply, 'conflict', `Everything is sent already: the replay is ${status}`);
  return reply.code(204).send();
});

export const replayRoutes: readonly Route[] = [list, get, items, cancel];
