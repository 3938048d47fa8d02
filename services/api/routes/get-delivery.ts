import { sendProblem } from '../http/send-problem.ts';
import { findDelivery } from '../resources/delivery.ts';
import { type Route, route } from '../route.ts';

/** `GET /v1/deliveries/{id}` */
export const getDelivery: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/deliveries/:id',
    async handler(request, reply) {
      const delivery = await findDelivery(postgres, request.tenant, request.params.id);
      return delivery ?? sendProblem(reply, 'not_found');
    },
  });
