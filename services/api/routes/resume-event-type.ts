import { resumeType } from '../event-types/change-status.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { sendType } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

const operation: Operation = {
  tag: 'Event types',
  id: 'resumeEventType',
  summary: 'End the pause of an event type',
  answers: { 200: { is: 'The event type after the change', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/resume` */
export const resumeEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string } }>({
    method: 'POST',
    url: '/v1/event-types/:name/resume',
    config: { operation, audit: 'event_type.resume' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const result = await changeTypes(request, deps, (changing) =>
        resumeType(changing, { name: request.params.name, ifMatch: request.headers['if-match'] }),
      );
      return sendType(reply, result, deps);
    },
  });
