import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listReplays as queryReplays, replayId, replayJson } from '../resources/replay.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'listReplays',
  summary: 'List replays, newest first',
  answers: { 200: page('Replay', 'Replays of the tenant') },
};

/** `GET /v1/replays`: the newest first. */
export const listReplays: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/replays',
    config: { operation, capability: 'view', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, replayId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await queryReplays(postgres, request.tenant, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(replayJson);
    },
  });
