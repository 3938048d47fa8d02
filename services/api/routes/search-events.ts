import { problemsOfFilter } from '#lib/event-filter';
import { parseExact } from '#lib/exact-json';
import { clientLeft } from '#lib/http-server';
import { filterDescriptions, filterSchemas, type GivenFilters, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage } from '../http/paging.ts';
import { type FieldErrors, type Read, sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { eventId } from '../resources/event.ts';
import { eventFilters } from '../resources/event-filters.ts';
import { type Route, route } from '../route.ts';

/** Without the position in the order of changes: a search goes by the time of receipt. */
const withoutPosition = ({ updated_at_gte: _position, ...filters }: typeof eventFilters) => filters;
const listFilters = withoutPosition(eventFilters);

type Query = GivenFilters<typeof listFilters> & PageQuery & { filter: string };

const querystring = {
  type: 'object',
  additionalProperties: false,
  required: ['filter'],
  properties: { filter: { type: 'string', maxLength: 16_384 }, ...filterSchemas(listFilters), ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Events',
  id: 'searchEvents',
  summary: 'Search the payloads of the newest events',
  description:
    'Reads payloads from the newest on: at most 64 MiB and 2 seconds, and ends at `limit` matches. Unless `complete`, older events have not been looked at: continue with `cursor`. A tenant has one search at a time.',
  parameters: {
    filter: 'a filter as endpoints have it, as JSON',
    ...filterDescriptions(listFilters),
    cursor: 'the `cursor` of an earlier answer',
  },
  answers: { 200: { is: 'Matching events, newest first', body: 'EventSearch' } },
};

/** A search ends within two seconds. */
const retryAfterSeconds = 2;

/** `GET /v1/events/search`. Nothing of it is stored or logged. */
export const searchEvents: Route = ({ search, limits, usage }) =>
  route<{ Querystring: Query }>({
    method: 'GET',
    url: '/v1/events/search',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, query } = request;
      const page = readPage(query, eventId);
      const filter = readFilter(query.filter);
      const events = readFilters(listFilters, { ...query });
      const errors = [page, filter, events].flatMap((read) => ('errors' in read ? read.errors : []));
      if ('errors' in page || 'errors' in filter || 'errors' in events) return sendInvalid(reply, errors);

      const { limit, after: before } = page;
      const asked = { tenant, filter: filter.read, events: events.filter, before, limit };
      const found = await search.search(asked, limits.of(tenant, 'searches'), clientLeft(reply));
      if (found === 'full')
        return sendProblem(reply, 'unavailable', 'The server runs as many searches as it can: retry later');
      if (found === 'busy')
        return refuseBeyondLimit(reply.header('retry-after', retryAfterSeconds), 'searches', { limits, usage });
      return reply.type('application/json; charset=utf-8').send(found.body);
    },
  });

function readFilter(text: string): Read<string> {
  let filter: unknown;
  try {
    filter = parseExact(text, 'all');
  } catch {
    return { errors: [{ field: 'filter', message: 'must be JSON' }] };
  }
  const errors: FieldErrors = problemsOfFilter(filter).map(({ path, message }) => ({
    field: `filter${path}`,
    message,
  }));
  return errors.length > 0 ? { errors } : { read: text };
}
