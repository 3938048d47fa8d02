import { type EventTypeVisibility, eventTypeVisibilities } from '#lib/contract';
import { audienceOf } from '../event-types/shown-types.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { changeId, changesJson, listChanges } from '../resources/event-type-change.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { visibility: { type: 'string', enum: eventTypeVisibilities }, ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'listEventTypeChanges',
  summary: 'List changes of event types, newest first',
  parameters: { visibility: 'who is to see them: `portal` has those of public types, too; default `internal`: all' },
  answers: { 200: page('EventTypeChange', 'Changes of event types') },
};

/** `GET /v1/event-types/changes` */
export const listEventTypeChanges: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: PageQuery & { visibility?: EventTypeVisibility } }>({
    method: 'GET',
    url: '/v1/event-types/changes',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, query } = request;
      const page = readPage(query, changeId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const audience = audienceOf(request.caller, query.visibility);
      const rows = await listChanges(postgres, tenant, audience, page);
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return changesJson(postgres, tenant, shown, audience);
    },
  });
