import type { EventTypeView } from '#lib/contract';
import { placed } from './document-references.ts';
import { extension } from './read-document.ts';

/** An OpenAPI 3.1 document of event types. Importing it changes nothing. */
export const documentOf = (types: readonly EventTypeView[]): Record<string, unknown> => ({
  openapi: '3.1.0',
  info: { title: 'Event types', version: '1' },
  webhooks: Object.fromEntries(types.map((type) => [type.name, { post: operationOf(type) }])),
});

function operationOf(type: EventTypeView): Record<string, unknown> {
  const { name, description, notes, category, visibility, enforce, deprecation, newest } = type;
  return {
    operationId: name,
    ...(description !== '' && { description }),
    ...(category !== null && { tags: [category] }),
    ...(deprecation !== null && { deprecated: true }),
    ...(newest !== null && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: placed(name, newest.schema),
            ...(newest.example !== null && { example: newest.example }),
          },
        },
      },
    }),
    responses: { '2XX': { description: 'The event was received' } },
    [extension]: {
      // A key that begins with a slash is read without it.
      ...(name.startsWith('/') && { name }),
      ...(notes !== '' && { notes }),
      visibility,
      enforce,
      ...(deprecation !== null && {
        deprecation: Object.fromEntries(
          Object.entries(deprecation ?? {}).filter(([name, value]) => name !== 'since' && value !== null),
        ),
      }),
      ...(newest !== null && newest.notes !== '' && { version_notes: newest.notes }),
    },
  };
}
