import { cancelReplay as cancel } from '#lib/replay-store';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { replayId } from '../resources/replay.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'cancelReplay',
  summary: 'Cancel a replay; items not sent yet are dead letters again',
  answers: { 204: { is: 'The replay is cancelled' } },
  errors: ['conflict'],
};

/** `DELETE /v1/replays/{id}`: unsent items become dead letters again. The replay stays readable, with its sent items. */
export const cancelReplay: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/replays/:id',
    config: { operation, capability: 'replay', audit: 'replay.cancel', ofAllTenants: true },
    async handler(request, reply) {
      const { id } = request.params;
      if (!replayId.test(id)) return sendProblem(reply, 'not_found');
      const status = await postgres.transaction(async (tx) => {
        const before = await cancel(tx, request.tenant, id);
        if (before === 'running') await request.audit(tx, { id, before: { status: before } });
        return before;
      });
      if (status === undefined) return sendProblem(reply, 'not_found');
      if (status !== 'running' && status !== 'cancelled')
        return sendProblem(reply, 'conflict', `Everything is sent already: the replay is ${status}`);
      return reply.code(204).send();
    },
  });
