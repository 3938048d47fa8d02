import { searchEvents } from '#lib/api-contract';
import { problemsOfFilter } from '#lib/event-filter';
import { parseExact } from '#lib/exact-json';
import { clientLeft } from '#lib/net';
import { readFilters } from '../http/filters.ts';
import { readPage } from '../http/paging.ts';
import { type FieldErrors, type Read, sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { serve } from '../route.ts';
import { searchFilters } from './filters.ts';
import { eventId } from './queries.ts';

/** A search ends within two seconds. */
const retryAfterSeconds = 2;

/** Nothing of it is stored or logged. */
export const search = serve(searchEvents, ({ search: payloads, limits, usage }) => async (request, reply) => {
  const { tenant, query } = request;
  const page = readPage(query, eventId);
  const filter = readFilter(query.filter);
  const events = readFilters(searchFilters, { ...query });
  const errors = [page, filter, events].flatMap((read) => ('errors' in read ? read.errors : []));
  if ('errors' in page || 'errors' in filter || 'errors' in events) return sendInvalid(reply, errors);

  const { limit, after: before } = page;
  const asked = { tenant, filter: filter.read, events: events.filter, before, limit };
  const found = await payloads.search(asked, limits.of(tenant, 'searches'), clientLeft(reply));
  if (found === 'full')
    return sendProblem(reply, 'unavailable', 'The server runs as many searches as it can: retry later');
  if (found === 'busy')
    return refuseBeyondLimit(reply.header('retry-after', retryAfterSeconds), 'searches', { limits, usage });
  return reply.type('application/json; charset=utf-8').send(found.body);
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
