import { bundle } from './document-references.ts';
import { fitSchema } from './fit-schema.ts';
import type { GivenType } from './given-type.ts';
import { nodeOf, resolveReference, type SchemaNode } from './schema-node.ts';

/** A type as a document describes it. */
export interface ImportedType {
  name: string;
  content: GivenType;
  version: { schema?: unknown; example?: unknown; version_notes?: string };
}

/** The member in which an export adds what OpenAPI has no words for. */
export const extension = 'x-hookline';

/**
 * The types of a document: the `webhooks` of an OpenAPI document, or schemas by name. Of what OpenAPI says, the JSON body that is posted is taken, with
 * its first example, the description and the first tag as category.
 */
export function readDocument(document: SchemaNode): ImportedType[] {
  if (typeof document['openapi'] !== 'string' && document['webhooks'] === undefined)
    return Object.entries(document).map(([name, schema]) => ({ name, content: {}, version: { schema } }));
  const webhooks = { ...nodeOf(document['x-webhooks']), ...nodeOf(document['webhooks']) };
  return Object.entries(webhooks).map(([name, item]) => readWebhook(document, name, item));
}

function readWebhook(document: SchemaNode, name: string, item: unknown): ImportedType {
  const follow = (value: unknown): SchemaNode => {
    const node = nodeOf(value);
    return typeof node['$ref'] === 'string' ? nodeOf(resolveReference(document, node['$ref'])) : node;
  };
  const operation = follow(follow(item)['post']);
  const body = nodeOf(nodeOf(follow(operation['requestBody'])['content'])['application/json']);
  const texts = [operation['description'], operation['summary']].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  const [tag] = Array.isArray(operation['tags']) ? (operation['tags'] as unknown[]) : [];
  const own = nodeOf(operation[extension]);
  const { version_notes: notes, ...more } = own;
  const schema = body['schema'] === undefined ? undefined : bundle(document, name, body['schema']);
  return {
    name,
    content: {
      description: [...new Set(texts)].join('\n\n'),
      ...(typeof tag === 'string' && { category: tag }),
      ...(operation['deprecated'] === true && { deprecation: {} }),
      ...more,
    },
    version: {
      ...(schema !== undefined && {
        schema: fitSchema(schema),
        ...exampleOf(body, follow),
      }),
      ...(typeof notes === 'string' && { version_notes: notes }),
    },
  };
}

function exampleOf(body: SchemaNode, follow: (value: unknown) => SchemaNode): { example?: unknown } {
  if (Object.hasOwn(body, 'example')) return { example: body['example'] };
  const [first] = Object.values(nodeOf(body['examples']));
  const given = follow(first);
  return Object.hasOwn(given, 'value') ? { example: given['value'] } : {};
}
