import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendMissing } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listRejections, rejectionId, rejectionJson } from '../resources/rejection.ts';
import { sources } from '../resources/source.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Sources',
  id: 'listSourceRejections',
  summary: 'List recently rejected webhooks, newest first',
  answers: { 200: page('Rejection', 'Rejected webhooks that are still stored') },
  errors: ['gone'],
};

/** `GET /v1/sources/{id}/rejections`: the webhooks that were refused lately, the newest first. */
export const listSourceRejections: Route = ({ postgres, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/sources/:id/rejections',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, rejectionId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const { tenant } = request;
      const source = await sources.find(postgres, tenant, request.params.id);
      if (source === undefined || source.deleted_at !== null) return sendMissing(reply, source);
      const rows = await listRejections(postgres, { tenant, id: source.id }, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(rejectionJson);
    },
  });
