import { judgedWithinDays, maxTypesPerDay } from '#lib/contract';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listObservedTypes as list } from '../resources/observed-type.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'listObservedTypes',
  summary: 'List the types of events that no event type describes',
  description: `What was received or published under a name that no event type has or had, within ${judgedWithinDays} days. A day has the first ${maxTypesPerDay} types that the tenant’s events had on it.`,
  answers: { 200: page('ObservedType', 'Types of events without a description, by name') },
};

/** Any type that an event may have. */
const anyType = /^[^\0]{1,1024}$/s;

/** `GET /v1/event-types/observed` */
export const listObservedTypes: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/event-types/observed',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, anyType);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await list(postgres, request.tenant, page);
      return takePage(rows, page.limit, ({ type }) => ({ cursor: type }), { request, reply, apiUrl });
    },
  });
