import { getDelivery, listDeliveries, listDeliveryAttempts } from '#lib/api-contract';
import { readFilters } from '../http/filters.ts';
import { linkPages, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { type Route, serve } from '../route.ts';
import { attemptOf, listAttempts } from './attempts.ts';
import { deliveryFilters } from './filters.ts';
import { deliveryId, deliveryOf, findDelivery, listDeliveries as queryDeliveries } from './queries.ts';

const list = serve(listDeliveries, ({ postgres, apiUrl }) => async (request, reply) => {
  const { query } = request;
  const asked = readPage(query, deliveryId);
  if ('errors' in asked) return sendInvalid(reply, asked.errors);
  const read = readFilters(deliveryFilters, query);
  if ('errors' in read) return sendInvalid(reply, read.errors);
  const descending = query.order !== 'asc';
  const found = await queryDeliveries(postgres, request.tenant, read.filter, { ...asked, descending });
  const next = found.next === undefined ? undefined : { cursor: found.next };
  linkPages({ next }, { request, reply, apiUrl });
  const viewer = headerViewerOf(request.caller);
  return found.rows.map((row) => deliveryOf(row, viewer));
});

const get = serve(getDelivery, ({ postgres }) => async (request, reply) => {
  const delivery = await findDelivery(postgres, request.tenant, request.params.id);
  if (delivery === undefined) return sendProblem(reply, 'not_found');
  return deliveryOf(delivery, headerViewerOf(request.caller));
});

/** A step: steps number all records of the delivery, attempts among them. */
const cursor = /^\d{1,9}$/;

const attempts = serve(listDeliveryAttempts, ({ postgres, apiUrl }) => async (request, reply) => {
  const { tenant } = request;
  const { id } = request.params;
  const page = readPage(request.query, cursor);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  if ((await findDelivery(postgres, tenant, id)) === undefined) return sendProblem(reply, 'not_found');
  const rows = await listAttempts(postgres, tenant, id, page);
  const shown = takePage(rows, page.limit, (last) => ({ cursor: String(last.step) }), { request, reply, apiUrl });
  const viewer = headerViewerOf(request.caller);
  return shown.map((row) => attemptOf(row, viewer));
});

/** All but those that send or end deliveries: replays/of-deliveries.ts. */
export const deliveryRoutes: readonly Route[] = [list, get, attempts];
