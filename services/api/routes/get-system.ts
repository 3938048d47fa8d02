import type { Operation } from '../openapi/operation.ts';
import { readSystem } from '../resources/system.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: {} } as const;

const operation: Operation = {
  tag: 'System',
  id: 'getSystem',
  summary: 'Show the running processes, the consumer lag of each stage, and the dependencies',
  description: 'For the operator’s key alone.',
  answers: { 200: { is: 'The system as its processes report it every five seconds', body: 'System' } },
};

/** `GET /v1/system` */
export const getSystem: Route = ({ postgres }) =>
  route({
    method: 'GET',
    url: '/v1/system',
    config: { operation, scope: 'operator', ofAllTenants: true },
    schema: { querystring },
    handler: () => readSystem(postgres),
  });
