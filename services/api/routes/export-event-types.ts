import { audienceOf } from '../event-types/shown-types.ts';
import { documentOf } from '../event-types/write-document.ts';
import { filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import type { EventTypeView } from '#lib/contract';
import { eventTypeFilters, eventTypeJson, type EventTypeFilter, listEventTypes } from '../resources/event-type.ts';
import { type Route, route } from '../route.ts';

const { visibility, category, group } = eventTypeFilters;
const filters = { visibility, category, group };

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: filterSchemas(filters),
} as const;

/** Types that are read at a time. */
const pageSize = 100;
const maxBytes = 32 * 1024 * 1024;

const operation: Operation = {
  tag: 'Event types',
  id: 'exportEventTypes',
  summary: 'Export event types as the webhooks of an OpenAPI document',
  description: 'Importing the document changes nothing. At most 32 MB (else 400): narrow it by a group or a category.',
  parameters: filterDescriptions(filters),
  answers: { 200: { is: 'An OpenAPI 3.1 document', body: { type: 'object', additionalProperties: true } } },
};

/** `GET /v1/event-types/export` */
export const exportEventTypes: Route = ({ postgres }) =>
  route<{ Querystring: EventTypeFilter }>({
    method: 'GET',
    url: '/v1/event-types/export',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, query } = request;
      const read = readFilters(filters, query);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const audience = audienceOf(request.caller, read.filter.visibility);
      const types: EventTypeView[] = [];
      let bytes = 0;
      for (let after: string | null | undefined = null; after !== undefined;) {
        const rows = await listEventTypes(postgres, tenant, read.filter, { after, limit: pageSize });
        const page = rows.slice(0, pageSize);
        bytes += page.reduce((sum, row) => sum + row.bytes, 0);
        if (bytes > maxBytes)
          return sendInvalid(reply, [{ field: 'group', message: 'must narrow the export, which is above 32 MB' }]);
        for (const row of page) types.push(await eventTypeJson(postgres, tenant, row, audience));
        after = rows.length > pageSize ? page.at(-1)?.name : undefined;
      }
      return documentOf(types);
    },
  });
