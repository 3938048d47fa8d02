import { retireType } from '../event-types/change-status.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { sendRefused } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

const operation: Operation = {
  tag: 'Event types',
  id: 'retireEventType',
  summary: 'Retire an event type for ever',
  description:
    'The type is 410 from then on, under all its names, and no other type can have them. Events of it are sent as before.',
  answers: { 204: { is: 'The event type is retired' } },
  errors: ['conflict'],
  conditional: true,
};

/** `DELETE /v1/event-types/{name}` */
export const retireEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string } }>({
    method: 'DELETE',
    url: '/v1/event-types/:name',
    config: { operation, audit: 'event_type.retire' },
    async handler(request, reply) {
      const result = await changeTypes(request, deps, (changing) =>
        retireType(changing, { name: request.params.name, ifMatch: request.headers['if-match'] }),
      );
      if (!('retired' in result)) return sendRefused(reply, result, deps);
      return reply.code(204).send();
    },
  });
