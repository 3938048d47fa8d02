import { isEventTypeName } from '#lib/contract';
import { audienceOf } from '../event-types/shown-types.ts';
import { hasTag } from '../http/etag.ts';
import { filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import {
  type EventTypeFilter,
  eventTypeFilters,
  eventTypesJson,
  listEventTypes as list,
  typesRevision,
} from '../resources/event-type.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filterSchemas(eventTypeFilters), ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'listEventTypes',
  summary: 'List event types by name',
  parameters: filterDescriptions(eventTypeFilters),
  answers: {
    200: {
      ...page('EventTypeSummary', 'Event types that match; without a status, those that are not retired'),
      headers: ['Link', 'ETag'],
    },
    304: {
      is: 'No event type of the tenant has changed since the response that `If-None-Match` names',
      headers: ['ETag'],
    },
  },
};

/** `GET /v1/event-types` */
export const listEventTypes: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: EventTypeFilter & PageQuery }>({
    method: 'GET',
    url: '/v1/event-types',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, query } = request;
      const page = readPage(query, { test: isEventTypeName });
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const read = readFilters(eventTypeFilters, query);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const audience = audienceOf(request.caller, read.filter.visibility);
      const filter = { ...read.filter, visibility: audience };
      const etag = `"${await typesRevision(postgres, tenant)}"`;
      void reply.headers({
        'cache-control': 'private, no-cache',
        vary: 'Authorization, Hookline-Tenant',
        etag: `W/${etag}`,
      });
      if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const rows = await list(postgres, tenant, filter, page);
      const shown = takePage(rows, page.limit, ({ name }) => ({ cursor: name }), { request, reply, apiUrl });
      return eventTypesJson(postgres, tenant, shown, audience);
    },
  });
