import { describeType } from '../event-types/describe-type.ts';
import { versionFields } from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { prepareVersion } from '../event-types/prepare-version.ts';
import { sendType } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

interface Body {
  schema: unknown;
  example?: unknown;
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
    'A version that breaks receivers (a field removed, narrowed, newly required, or no longer always there) needs `breaking: true`, else it is 409. If schema, example and notes are those of the newest version, nothing is published. Without an example, one is made from the schema.',
  answers: { 200: { is: 'The event type with its newest version', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/event-types/{name}/versions` */
export const publishEventTypeVersion: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/event-types/:name/versions',
    config: { operation, audit: 'event_type.publish' },
    bodyLimit: bodyLimits.eventType,
    schema: { body },
    async handler(request, reply) {
      const { params, headers } = request;
      const { notes, ...given } = request.body;
      const { version, errors } = await prepareVersion(
        {
          ...given,
          ...(notes !== undefined && { version_notes: notes }),
        },
        deps.schemaChecks,
      );
      if (errors.length > 0) return sendInvalid(reply, errors);
      const result = await changeTypes(request, deps, (changing) =>
        describeType(changing, {
          name: params.name,
          content: (stored) => stored,
          version,
          ifMatch: headers['if-match'],
        }),
      );
      return sendType(reply, result, deps);
    },
  });
