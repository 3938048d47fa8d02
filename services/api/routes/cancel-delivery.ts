import { isFinal } from '#lib/contract';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findDelivery } from '../resources/delivery.ts';
import { requestCancel } from '../resources/waiting.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Deliveries',
  id: 'cancelDelivery',
  summary: 'Cancel an open delivery; an attempt in flight can still succeed',
  answers: {
    200: { is: 'The delivery is cancelled', body: 'Delivery' },
    202: { is: 'The delivery will be cancelled within seconds', body: 'Delivery' },
  },
  errors: ['conflict'],
};

/**
 * `POST /v1/deliveries/{id}/cancel`: the dispatcher ends it as soon as it waits. One that is being sent at that moment may still be
 * delivered, and then is.
 */
export const cancelDelivery: Route = () =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/deliveries/:id/cancel',
    config: { operation, audit: 'delivery.cancel' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const { effects } = idempotent;
      const { id } = request.params;
      const before = await findDelivery(effects, tenant, id);
      if (before === undefined) return sendProblem(reply, 'not_found');
      if (!isFinal(before.status))
        await effects.transaction(async (tx) => {
          if (await requestCancel(tx, tenant, id)) await request.audit(tx, { id, before: { status: before.status } });
        });
      const delivery = (await findDelivery(effects, tenant, id)) ?? before;
      // It is cancelled already: asking again is no error.
      if (delivery.status === 'cancelled') return delivery;
      if (isFinal(delivery.status)) return sendProblem(reply, 'conflict', `The delivery is ${delivery.status}`);
      return reply.code(202).send(delivery);
    },
  });
