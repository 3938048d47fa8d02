import { type ReplayItemStatus, replayItemStatuses, type ReplayOutcome, replayOutcomes } from '#lib/replay-store';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { findReplay } from '../resources/replay.ts';
import { itemNumber, listReplayItems as queryItems } from '../resources/replay-item.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pageParameters,
    status: { type: 'string', enum: replayItemStatuses },
    outcome: { type: 'string', enum: replayOutcomes },
  },
} as const;

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'listReplayItems',
  summary: 'List the items of a replay, such as those that could not be sent, or did not arrive',
  answers: { 200: page('ReplayItem', 'Items of the replay, in its order') },
};

/** `GET /v1/replays/{id}/items` */
export const listReplayItems: Route = ({ postgres, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery & { status?: ReplayItemStatus; outcome?: ReplayOutcome } }>({
    method: 'GET',
    url: '/v1/replays/:id/items',
    config: { operation, capability: 'view', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, params, query } = request;
      const page = readPage(query, itemNumber);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      if ((await findReplay(postgres, tenant, params.id)) === undefined) return sendProblem(reply, 'not_found');
      const rows = await queryItems(postgres, tenant, params.id, {
        ...page,
        status: query.status,
        outcome: query.outcome,
      });
      return takePage(rows, page.limit, ({ item }) => ({ cursor: String(item) }), { request, reply, apiUrl });
    },
  });
