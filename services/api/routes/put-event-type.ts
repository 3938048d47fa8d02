import { isEventTypeName } from '#lib/contract';
import { createType, describeType } from '../event-types/describe-type.ts';
import {
  contentErrors,
  type GivenType,
  nameErrors,
  typeContent,
  typeFields,
  typeName,
  versionFields,
} from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { inTurn, type Prepared, prepareVersion } from '../event-types/prepare-version.ts';
import { sendPrepared } from '../event-types/send-type.ts';
import { changePrepared, type Refused, type TypeChanged } from '../event-types/type-transaction.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findEventType } from '../resources/event-type.ts';
import type { Route } from '../route.ts';

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { ...typeFields, ...versionFields },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'putEventType',
  summary: 'Create an event type, or change it to this',
  description:
    'What is left out is reset to its default. A schema, an example or notes of a version that differ from the newest version are published as the next one; without a schema, versions stay as they are. The same request again changes nothing.',
  answers: {
    200: { is: 'The event type after the change', body: 'EventType', headers: ['ETag'] },
    201: { is: 'The event type, which is new', body: 'EventType', headers: ['Location', 'ETag'] },
  },
  errors: ['conflict'],
  conditional: true,
};

/** `PUT /v1/event-types/{name}`: for those who keep their types in a file. */
export const putEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: GivenType & { version_notes?: string; breaking?: boolean } }>({
    method: 'PUT',
    url: '/v1/event-types/:name',
    config: { operation, audit: 'event_type.put', documents: { members: ['schema', 'example'] }, inGroups: true },
    bodyLimit: bodyLimits.eventType,
    schema: { body },
    async handler(request, reply) {
      const { body: given, params, headers } = request;
      const { name } = params;
      const content = typeContent(given);
      const { version_notes: notes, breaking } = given;
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
      const wrong = isEventTypeName(name)
        ? nameErrors(name, 'name')
        : [{ field: 'name', message: `must be ${typeName.description}` }];
      const all = [...wrong, ...contentErrors(content), ...first.errors];
      if (all.length > 0) return sendInvalid(reply, all);
      const ifMatch = headers['if-match'];
      const changed = await changePrepared<Prepared, TypeChanged | Refused>(request, deps, {
        prepare: inTurn(first, prepare),
        async work(changing, { version, errors }) {
          if (errors.length > 0) return { errors };
          const isThere = (await findEventType(changing.tx, changing.tenant, name)) !== undefined;
          if (isThere) return describeType(changing, { name, content: () => content, version, ifMatch });
          if (ifMatch !== undefined) return { refused: 'precondition_failed' as const };
          return createType(changing, { name, content, version });
        },
      });
      return sendPrepared(reply, changed, deps);
    },
  });
