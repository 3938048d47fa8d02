import { limitsOfCaller } from '../limits/limits-of-caller.ts';
import { type Operation, ref } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Limits',
  id: 'listLimits',
  summary: 'List the rates and limits of the tenant and of the key, with what is used now',
  description:
    'Every 429 and 413 names one of these in `limit`. Of limits per process, `used` is that of the process that answers; of rates, the requests of the burst that are not back yet. It is null where nothing is counted, where only other processes count, and of rates while Redis is away.',
  answers: { 200: { is: 'All limits', body: { type: 'array', items: ref('Limit') } } },
};

/** `GET /v1/limits`. Closed to portal sessions: a customer would see how large its provider is. */
export const listLimits: Route = (deps) =>
  route({
    method: 'GET',
    url: '/v1/limits',
    config: { operation },
    handler: ({ tenant, credential, caller }) => limitsOfCaller(deps, { tenant, credential, key: caller.key }),
  });
