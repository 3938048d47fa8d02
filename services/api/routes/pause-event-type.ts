import { pauseType } from '../event-types/change-status.ts';
import { instant, reason } from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { sendType } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { optionalBody } from '../http/optional-body.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

interface Body {
  reason?: string;
  until?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { reason, until: instant },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'pauseEventType',
  summary: 'Announce that an event type is not sent for the time being',
  description: 'Its texts stay as they are. Pausing again changes the reason and the end. It stops no events.',
  answers: { 200: { is: 'The event type after the change', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/pause` */
export const pauseEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/:name/pause',
    config: { operation, audit: 'event_type.pause' },
    schema: { body },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { params, body: given, headers } = request;
      const result = await changeTypes(request, deps, (changing) =>
        pauseType(changing, {
          name: params.name,
          reason: given.reason,
          until: given.until,
          ifMatch: headers['if-match'],
        }),
      );
      return sendType(reply, result, deps);
    },
  });
