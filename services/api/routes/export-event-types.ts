import { type EventTypeView, type EventTypeVisibility, isEventTypeName } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { rateLimitFields, waitSeconds } from '#lib/rate-limit';
import { audienceOf } from '../event-types/shown-types.ts';
import { documentText } from '../event-types/write-document.ts';
import { filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendParts } from '../http/send-parts.ts';
import { sendInvalid, sendRateLimited } from '../http/send-problem.ts';
import { exportBucket, exportRate } from '../limits/api-limits.ts';
import type { Operation } from '../openapi/operation.ts';
import {
  eventTypeFilters,
  eventTypeJson,
  type EventTypeFilter,
  listEventTypes,
  listTypeNames,
} from '../resources/event-type.ts';
import { type Route, route } from '../route.ts';

const { visibility, category, group } = eventTypeFilters;
const filters = { visibility, category, group };

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filterSchemas(filters), ...pageParameters },
} as const;

/** Types that are read at a time: two megabytes of texts at the most, without their schemas, which are read one by one. */
const typesAtOnce = 50;

const operation: Operation = {
  tag: 'Event types',
  id: 'exportEventTypes',
  summary: 'Export event types as the webhooks of an OpenAPI document',
  description:
    'Importing the document changes nothing. It is sent as it is read. With `limit`, it has the first so many types by name, and `Link` leads to the document of the next ones. A tenant has two exports a second, with bursts of twenty.',
  parameters: { ...filterDescriptions(filters), limit: 'types in the document, 1 to 1000; default: all' },
  answers: {
    200: {
      is: 'An OpenAPI 3.1 document',
      body: { type: 'object', additionalProperties: true },
      headers: ['Link'],
    },
  },
};

/** `GET /v1/event-types/export` */
export const exportEventTypes: Route = ({ postgres, limiter, apiUrl }) =>
  route<{ Querystring: EventTypeFilter & PageQuery }>({
    method: 'GET',
    url: '/v1/event-types/export',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, query } = request;
      const read = readFilters(filters, query);
      const page = readPage(query, { test: isEventTypeName });
      const errors = [read, page].flatMap((one) => ('errors' in one ? one.errors : []));
      if ('errors' in read || 'errors' in page) return sendInvalid(reply, errors);
      const permit = await limiter.take(exportBucket(tenant), exportRate);
      void reply.headers(rateLimitFields([{ name: 'exports', rate: exportRate, permit }]));
      if (!permit.granted)
        return sendRateLimited(
          reply.header('retry-after', waitSeconds(permit)),
          'exports',
          `The tenant has reached ${exportRate.perSecond} exports per second`,
        );
      const audience = audienceOf(request.caller, read.filter.visibility);
      let to: string | undefined;
      if (query.limit !== undefined) {
        const names = await listTypeNames(postgres, tenant, read.filter, page);
        to = takePage(names, page.limit, (name) => ({ cursor: name }), { request, reply, apiUrl }).at(-1) ?? '';
      }
      return sendParts(
        reply,
        documentText(readTypes(postgres, tenant, { filter: read.filter, audience, after: page.after, to })),
      );
    },
  });

interface Reading {
  filter: EventTypeFilter;
  audience: EventTypeVisibility;
  after: string | null;
  /** The last name; undefined: all. */
  to: string | undefined;
}

/** One by one, in the order of their names. */
async function* readTypes(
  postgres: Query,
  tenant: string,
  { filter, audience, after: from, to }: Reading,
): AsyncGenerator<EventTypeView> {
  for (let after: string | null | undefined = from; after !== undefined;) {
    const rows = await listEventTypes(postgres, tenant, filter, { after, to, limit: typesAtOnce });
    const page = rows.slice(0, typesAtOnce);
    for (const row of page) yield eventTypeJson(postgres, tenant, row, audience);
    after = rows.length > typesAtOnce ? page.at(-1)?.name : undefined;
  }
}
