import { listAuditEntries } from '#lib/api-contract';
import { readFilters } from '../http/filters.ts';
import { readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { entryId, entryOf, filters, listEntries } from './queries.ts';

const list = serve(listAuditEntries, ({ postgres, apiUrl }) => async (request, reply) => {
  const { query, tenant } = request;
  const page = readPage(query, entryId);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const read = readFilters(filters, query);
  if ('errors' in read) return sendInvalid(reply, read.errors);
  const rows = await listEntries(postgres, tenant, read.filter, page);
  return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(entryOf);
});

export const auditRoutes: readonly Route[] = [list];
