import type { EventType } from '#lib/api-contract';
import { extension, placed } from '#lib/schema-checks';

/** An OpenAPI 3.1 document of event types, as text that is made type by type. Importing it changes nothing. */
export async function* documentText(types: AsyncIterable<EventType>): AsyncGenerator<string> {
  yield `{"openapi":"3.1.0","info":{"title":"Event types","version":"1"},"webhooks":{`;
  let separator = '';
  for await (const type of types) {
    yield `${separator}${JSON.stringify(type.name)}:${JSON.stringify({ post: operationOf(type) })}`;
    separator = ',';
  }
  yield '}}';
}

function operationOf(type: EventType): Record<string, unknown> {
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
