import { sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { deliveryJson, findDelivery } from '../resources/delivery.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Deliveries',
  id: 'getDelivery',
  summary: 'Read a delivery',
  answers: { 200: { is: 'The delivery and its status', body: 'Delivery' } },
};

/** `GET /v1/deliveries/{id}` */
export const getDelivery: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/deliveries/:id',
    config: { operation, capability: 'view' },
    async handler(request, reply) {
      const delivery = await findDelivery(postgres, request.tenant, request.params.id);
      if (delivery === undefined) return sendProblem(reply, 'not_found');
      return deliveryJson(delivery, headerViewerOf(request.caller));
    },
  });
