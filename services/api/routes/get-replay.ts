import { replaysAhead } from '#lib/replay-store';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { failuresOf, findReplay, replayJson } from '../resources/replay.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'getReplay',
  summary: 'Read the progress of a replay',
  answers: { 200: { is: 'The replay', body: 'ReplayWithFailures' } },
};

/** `GET /v1/replays/{id}` */
export const getReplay: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/replays/:id',
    config: { operation },
    async handler(request, reply) {
      const { tenant } = request;
      const replay = await findReplay(postgres, tenant, request.params.id);
      if (replay === undefined) return sendProblem(reply, 'not_found');
      const failures = replay.failed === 0 ? {} : await failuresOf(postgres, tenant, replay.id);
      const ahead = replay.status === 'running' ? await replaysAhead(postgres, tenant, replay.id) : 0;
      return { ...replayJson(replay), ahead, failures };
    },
  });
