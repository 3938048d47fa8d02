import { erasureJson, findErasure } from '../erasing/erasure-row.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Erasures',
  id: 'getErasure',
  summary: 'Read the receipt of an erasure, or its progress',
  answers: { 200: { is: 'The erasure', body: 'Erasure' } },
};

/** `GET /v1/erasures/{id}` */
export const getErasure: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/erasures/:id',
    config: { operation, scope: 'admin' },
    async handler(request, reply) {
      const erasure = await findErasure(postgres, request.tenant, request.params.id);
      return erasure === undefined ? sendProblem(reply, 'not_found') : erasureJson(erasure);
    },
  });
