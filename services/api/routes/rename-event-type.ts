import { renameType } from '../event-types/move-names.ts';
import { typeName } from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { sendType } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

interface Body {
  to: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['to'],
  properties: { to: typeName },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'renameEventType',
  summary: 'Give an event type another name',
  description:
    'The former name redirects to the new one for ever. Renaming back reverses this. A name that another type has, had or was retired with is 409. Events keep the type that their publisher gives.',
  answers: { 200: { is: 'The event type under its new name', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/rename` */
export const renameEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/:name/rename',
    config: { operation, audit: 'event_type.rename' },
    schema: { body },
    async handler(request, reply) {
      const { params, body: given, headers } = request;
      const result = await changeTypes(request, deps, (changing) =>
        renameType(changing, { name: params.name, to: given.to, ifMatch: headers['if-match'] }),
      );
      return sendType(reply, result, deps);
    },
  });
