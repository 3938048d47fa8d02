import { formatMicros, nowMicros } from '#lib/clock';
import { createId } from '#lib/ids';
import { eraseOne, findErasureOf, sendErasure } from '../erasures/index.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { eventExists } from '../resources/event.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Events',
  id: 'eraseEvent',
  summary: 'Erase an event',
  description:
    'What the event held is gone from the database at once, its open deliveries are cancelled, and every poller is told. The receipt says until when Kafka keeps bytes. Erasing it again answers with the same receipt.',
  answers: { 202: { is: 'The erasure', body: 'Erasure', headers: ['Location'] } },
};

/** `DELETE /v1/events/{id}`: marks the event and removes what belongs to it; a job confirms it. */
export const deleteEvent: Route = ({ postgres, clock, random }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/events/:id',
    config: { operation, scope: 'admin', audit: 'event.erase' },
    async handler(request, reply) {
      const { tenant } = request;
      const eventId = request.params.id;
      if (!(await eventExists(postgres, tenant, eventId))) return sendProblem(reply, 'not_found');
      const id = createId('ers', clock.nowMs(), random);
      const begun = await eraseOne(postgres, { tenant, id, eventId, asOf: formatMicros(nowMicros(clock)) }, (tx) =>
        request.audit(tx, { id: eventId, after: { erasure_id: id } }),
      );
      const erasure = begun ?? (await findErasureOf(postgres, tenant, eventId));
      return erasure === undefined ? sendProblem(reply, 'not_found') : sendErasure(reply, erasure);
    },
  });
