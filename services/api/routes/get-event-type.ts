import type { EventTypeVisibility } from '#lib/contract';
import { namedRoute } from '../event-types/named-route.ts';
import { audienceDescription, audienceOf, audienceParameter, ifShown } from '../event-types/shown-types.ts';
import { sendElsewhere } from '../event-types/send-type.ts';
import { sendResource } from '../http/etag.ts';
import type { Operation } from '../openapi/operation.ts';
import { eventTypeJson, findEventType } from '../resources/event-type.ts';
import type { Route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: audienceParameter } as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'getEventType',
  summary: 'Read an event type with its newest version',
  parameters: { visibility: audienceDescription },
  answers: {
    200: { is: 'The event type', body: 'EventType', headers: ['ETag'] },
    301: { is: 'The name is an alias', body: 'EventTypeAlias', headers: ['Location'] },
  },
  errors: ['gone'],
};

/** `GET /v1/event-types/{name}` */
export const getEventType: Route = ({ postgres }) =>
  namedRoute<{ Params: { name: string }; Querystring: { visibility?: EventTypeVisibility } }>({
    method: 'GET',
    url: '/v1/event-types/:name',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, params, query } = request;
      const audience = audienceOf(request.caller, query.visibility);
      const found = ifShown(audience, await findEventType(postgres, tenant, params.name));
      const elsewhere = sendElsewhere(reply, found, { name: params.name });
      if (elsewhere !== undefined || found === undefined) return elsewhere;
      return sendResource(reply, found, { ...(await eventTypeJson(postgres, tenant, found, audience)) });
    },
  });
