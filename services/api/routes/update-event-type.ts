import { AppError } from '#lib/errors';
import { describeType } from '../event-types/describe-type.ts';
import { contentErrors, givenType, type GivenType, typeContent, typeFields } from '../event-types/given-type.ts';
import { namedRoute } from '../event-types/named-route.ts';
import { sendType } from '../event-types/send-type.ts';
import { changeTypes } from '../event-types/type-transaction.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { patchOf, readPatched } from '../http/patch-body.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Route } from '../route.ts';

const type = { type: 'object', additionalProperties: false, properties: typeFields } as const;

const operation: Operation = {
  tag: 'Event types',
  id: 'updateEventType',
  summary: 'Change what is said of an event type',
  description:
    'JSON merge patch: `null` resets a field to its default, and so `deprecation: null` ends a deprecation. Its name is changed with POST …/rename, its schema with POST …/versions.',
  answers: { 200: { is: 'The event type after the change', body: 'EventType', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
  patchOf: 'PUT /v1/event-types/{name}',
};

/** `PATCH /v1/event-types/{name}` */
export const updateEventType: Route = (deps) =>
  namedRoute<{ Params: { name: string }; Body: Record<string, unknown> }>({
    method: 'PATCH',
    url: '/v1/event-types/:name',
    config: { operation, audit: 'event_type.update' },
    bodyLimit: bodyLimits.eventTypeTexts,
    schema: { body: patchOf(Object.keys(typeFields)) },
    async handler(request, reply) {
      const { body: patch, params, headers } = request;
      const result = await changeTypes(request, deps, (changing) =>
        describeType(changing, {
          name: params.name,
          version: undefined,
          ifMatch: headers['if-match'],
          content(stored) {
            const patched = readPatched<GivenType>(request, type, mergePatch(givenType(stored), patch));
            if ('errors' in patched) return patched;
            const content = typeContent(patched.read);
            const errors = contentErrors(content);
            return errors.length > 0 ? { errors } : content;
          },
        }),
      );
      // Without a version there is none that another could come before.
      if ('stale' in result) throw new AppError('bug', 'stale without a version');
      return sendType(reply, result, deps);
    },
  });
