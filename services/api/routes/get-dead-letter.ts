import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { deadLetterText, findDeadLetter } from '../resources/dead-letter.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Dead letters and replays',
  id: 'getDeadLetter',
  summary: 'Read a dead letter with key, headers and payload',
  answers: { 200: { is: 'The dead letter', body: 'DeadLetterWithPayload' } },
};

/** `GET /v1/dead-letters/{id}`, with the key, headers and payload of its record. */
export const getDeadLetter: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/dead-letters/:id',
    config: { operation, ofAllTenants: true },
    async handler(request, reply) {
      const letter = await findDeadLetter(postgres, request.tenant, request.params.id);
      if (letter === undefined) return sendProblem(reply, 'not_found');
      return reply.header('content-type', 'application/json; charset=utf-8').send(deadLetterText(letter));
    },
  });
