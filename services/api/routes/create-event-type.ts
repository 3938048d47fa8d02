import { createType } from '../event-types/describe-type.ts';
import {
  contentErrors,
  type GivenType,
  nameErrors,
  typeContent,
  typeFields,
  typeName,
  versionFields,
} from '../event-types/given-type.ts';
import { prepareVersion } from '../event-types/prepare-version.ts';
import { sendPrepared } from '../event-types/send-type.ts';
import { changePrepared } from '../event-types/type-transaction.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

type Body = GivenType & { name: string; version_notes?: string };

const { schema, example, version_notes } = versionFields;

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: typeName, ...typeFields, schema, example, version_notes },
} as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'createEventType',
  summary: 'Create an event type',
  description:
    'With a schema, its version 1 is published. A name that was ever given, to a type or as an alias, is 409.',
  answers: { 201: { is: 'The event type', body: 'EventType', headers: ['Location', 'ETag'] } },
  errors: ['conflict'],
};

/** `POST /v1/event-types` */
export const createEventType: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/event-types',
    config: { operation, audit: 'event_type.create', documents: { members: ['schema', 'example'] }, inGroups: true },
    bodyLimit: bodyLimits.eventType,
    schema: { body },
    async handler(request, reply) {
      const { name, ...given } = request.body;
      const content = typeContent(given);
      const { version, errors } = await prepareVersion(
        deps,
        {
          ...request.documents.members,
          ...(given.version_notes !== undefined && { version_notes: given.version_notes }),
        },
        { tenant: request.tenant, signal: request.left, name: undefined },
      );
      const all = [...nameErrors(name), ...contentErrors(content), ...errors];
      if (all.length > 0) return sendInvalid(reply, all);
      const created = await changePrepared(request, deps, {
        prepare: async () => version,
        work: (changing) => createType(changing, { name, content, version }),
      });
      return sendPrepared(reply, created, deps);
    },
  });
