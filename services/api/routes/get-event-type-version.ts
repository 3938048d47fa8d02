import type { EventTypeVisibility } from '#lib/contract';
import { namedRoute } from '../event-types/named-route.ts';
import { audienceDescription, audienceOf, audienceParameter, ifShown } from '../event-types/shown-types.ts';
import { sendElsewhere } from '../event-types/send-type.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findEventType, versionsJson } from '../resources/event-type.ts';
import { findVersion } from '../resources/event-type-version.ts';
import type { Route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: audienceParameter } as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'getEventTypeVersion',
  summary: 'Read a version of an event type',
  parameters: { visibility: audienceDescription },
  answers: {
    200: { is: 'The version', body: 'EventTypeVersion' },
    301: { is: 'The name is an alias', body: 'EventTypeAlias', headers: ['Location'] },
  },
  errors: ['gone'],
};

/** `GET /v1/event-types/{name}/versions/{version}` */
export const getEventTypeVersion: Route = ({ postgres }) =>
  namedRoute<{ Params: { name: string; version: string }; Querystring: { visibility?: EventTypeVisibility } }>({
    method: 'GET',
    url: '/v1/event-types/:name/versions/:version',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, params, query } = request;
      const audience = audienceOf(request.caller, query.visibility);
      const { name } = params;
      const number = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0;
      const found = ifShown(audience, await findEventType(postgres, tenant, name));
      const elsewhere = sendElsewhere(reply, found, { name, below: `/versions/${encodeURIComponent(params.version)}` });
      if (elsewhere !== undefined || found === undefined) return elsewhere;
      const version = await findVersion(postgres, tenant, found.id, number);
      if (version === undefined) return sendProblem(reply, 'not_found');
      const [shown] = await versionsJson(postgres, tenant, [version], audience);
      return shown;
    },
  });
