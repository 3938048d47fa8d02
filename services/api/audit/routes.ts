import { listAuditEntries } from '#lib/api-contract';
import { readFilters } from '../http/filters.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { entryId, entryOf, filters, listEntries } from './queries.ts';

const list = serve(listAuditEntries, ({ postgres, apiUrl }) => (request, reply) => {
  const { query, tenant } = request;
  const readRows = async (page: PageRequest) => {
    const read = readFilters(filters, query);
    return 'errors' in read ? sendInvalid(reply, read.errors) : listEntries(postgres, tenant, read.filter, page);
  };
  return answerPage({ request, reply, apiUrl }, entryId, readRows, entryOf);
});

export const auditRoutes: readonly Route[] = [list];
