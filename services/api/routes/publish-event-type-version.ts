import { describeType } from '../event-types/describe-type.ts';
import { versionFields } from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { inTurn, type Prepared, prepareVersion } from '../event-types/prepare-version.ts';
import { sendPrepared } from '../event-types/send-type.ts';
import { changePrepared, type Refused, type TypeChanged } from '../event-types/type-transaction.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

interface Body {
  notes?: string;
  breaking?: boolean;
}

const { version_notes: notes, ...rest } = versionFields;

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['schema'],
  properties: { ...rest, notes },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'publishEventTypeVersion',
  summary: 'Publish a version of an event type',
  description:
    'A version that breaks receivers (a field removed, narrowed, newly required, or no longer always there) needs `breaking: true`, else it is 409. If schema, example and notes are those of the newest version, nothing is published.',
  answers: { 200: { is: 'The event type with its newest version', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/versions` */
export const publishEventTypeVersion: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/:name/versions',
    config: { operation, audit: 'event_type.publish', documents: { members: ['schema', 'example'] }, inGroups: true },
    bodyLimit: bodyLimits.eventType,
    schema: { body },
    async handler(request, reply) {
      const { params, headers } = request;
      const { notes, breaking } = request.body;
      const { name } = params;
      const prepare = () =>
        prepareVersion(
          deps,
          {
            ...request.documents.members,
            ...(notes !== undefined && { version_notes: notes }),
            ...(breaking !== undefined && { breaking }),
          },
          { tenant: request.tenant, signal: request.left, name },
        );
      const first = await prepare();
      if (first.errors.length > 0) return sendInvalid(reply, first.errors);
      const changed = await changePrepared<Prepared, TypeChanged | Refused>(request, deps, {
        prepare: inTurn(first, prepare),
        work: async (changing, { version, errors }) =>
          errors.length > 0
            ? { errors }
            : describeType(changing, { name, content: (stored) => stored, version, ifMatch: headers['if-match'] }),
      });
      return sendPrepared(reply, changed, deps);
    },
  });
