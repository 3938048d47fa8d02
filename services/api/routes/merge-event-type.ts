import { mergeType } from '../event-types/move-names.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { lackedBy } from '../event-types/prepare-version.ts';
import { reason, typeName } from '../event-types/given-type.ts';
import { sendPrepared } from '../event-types/send-type.ts';
import { changePrepared } from '../event-types/type-transaction.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

interface Body {
  into: string;
  reason?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['into'],
  properties: { into: typeName, reason },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'mergeEventType',
  summary: 'Merge an event type into another',
  description:
    'All its names lead to the other type, for ever. If the schema of the other lacks a field of this one, a reason is needed (else 409).',
  answers: { 200: { is: 'The other event type', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/merge` */
export const mergeEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/:name/merge',
    config: { operation, audit: 'event_type.merge', inGroups: true },
    schema: { body },
    async handler(request, reply) {
      const { params, body: given, headers } = request;
      const { name } = params;
      const { into, reason } = given;
      const changed = await changePrepared(request, deps, {
        prepare: () => lackedBy(deps, request.tenant, [name, into]),
        work: (changing, lacked) => mergeType(changing, { name, into, reason, ifMatch: headers['if-match'], lacked }),
      });
      return sendPrepared(reply, changed, deps);
    },
  });
