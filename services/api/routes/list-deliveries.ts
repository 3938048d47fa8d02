import { filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { linkPages, type PageQuery, pageParameters, readPage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { deliveryId, deliveryJson, listDeliveries as queryDeliveries } from '../resources/delivery.ts';
import { type DeliveryFilter, deliveryFilters } from '../resources/delivery-filters.ts';
import { type Route, route } from '../route.ts';

interface DeliveryQuery extends DeliveryFilter, PageQuery {
  order?: 'asc' | 'desc';
}

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...filterSchemas(deliveryFilters),
    order: { type: 'string', enum: ['asc', 'desc'] },
    ...pageParameters,
  },
} as const;

const operation: Operation = {
  tag: 'Deliveries',
  id: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description:
    'In the order of the times in their ids: when the event was received, or the replay was created. A page may be shorter than its limit, even empty, while `Link` has a next one.',
  parameters: { ...filterDescriptions(deliveryFilters), order: '`asc`: oldest first. Default: `desc`' },
  answers: { 200: page('Delivery', 'Deliveries that match') },
};

/** `GET /v1/deliveries` */
export const listDeliveries: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: DeliveryQuery }>({
    method: 'GET',
    url: '/v1/deliveries',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
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
      return found.rows.map((row) => deliveryJson(row, viewer));
    },
  });
