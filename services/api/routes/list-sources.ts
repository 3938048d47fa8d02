import { filterConditions, filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { sourceJson, sources } from '../resources/source.ts';
import { type SourceFilter, sourceFilters } from '../resources/source-filters.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filterSchemas(sourceFilters), ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Sources',
  id: 'listSources',
  summary: 'List sources, oldest first',
  parameters: filterDescriptions(sourceFilters),
  answers: { 200: page('Source', 'Sources that are not deleted') },
};

/** `GET /v1/sources`: sources that are not deleted, oldest first. */
export const listSources: Route = ({ postgres, ingressUrl, apiUrl }) =>
  route<{ Querystring: SourceFilter & PageQuery }>({
    method: 'GET',
    url: '/v1/sources',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, sources.idPattern);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const read = readFilters(sourceFilters, request.query);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const rows = await sources.list(postgres, request.tenant, page, (bind) =>
        filterConditions(sourceFilters, read.filter, bind),
      );
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return shown.map((row) => sourceJson(row, ingressUrl));
    },
  });
