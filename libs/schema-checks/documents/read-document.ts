import { type ConvertDialect, createConversion, type Dialect, dialectOf } from './convert-dialect.ts';
import { type Bundle, createBundle, TooLarge } from './document-references.ts';
import { createFit } from './fit-schema.ts';
import { documentLimits } from './limits.ts';
import { listOf, nodeOf, resolveReference, type SchemaNode } from './schema-node.ts';

/** A type as a document describes it. */
export interface ImportedType {
  name: string;
  /** As the document has it: nobody has checked it. */
  content: Readonly<Record<string, unknown>>;
  version: { schema?: unknown; example?: unknown; version_notes?: string };
  /** Why it can't be imported. */
  mistake?: string | undefined;
}

/** The member in which an export adds what OpenAPI has no words for. */
export const extension = 'x-hookline';

/**
 * The types of a document: the `webhooks` of an OpenAPI document (`x-webhooks` before 3.1), or schemas by name. Of what OpenAPI says, the JSON body that
 * is posted is taken, with its first example, the description and the first tag as category; schemas become those of JSON Schema 2020-12. A mistake
 * in one webhook is said of that one.
 *
 * @returns `mistake` if it is no such document
 */
export function readDocument(document: SchemaNode): { types: ImportedType[] } | { mistake: string } {
  const { openapi } = document;
  if (typeof openapi !== 'string' && document['webhooks'] === undefined) return readSchemas(document);
  if (document['webhooks'] === undefined && document['x-webhooks'] === undefined)
    return { mistake: 'has neither webhooks nor x-webhooks' };
  const given = [document['x-webhooks'], document['webhooks']].filter((one) => one !== undefined);
  if (!given.every(isNode)) return { mistake: 'must have its webhooks by their names' };
  const webhooks = { ...nodeOf(document['x-webhooks']), ...nodeOf(document['webhooks']) };
  const dialect = dialectOf(document['jsonSchemaDialect']) ?? (isBefore31(openapi) ? 'openapi-3.0' : 'openapi-3.1');
  const bundle = createBundle(document, {
    maxBytes: documentLimits.bundledBytes,
    maxAllBytes: documentLimits.allBundledBytes,
  });
  const reading: Reading = { document, bundle, dialect, convert: createConversion(), fit: createFit() };
  const types = Object.entries(webhooks).map(([key, item]) => readWebhook(reading, key, item));
  return { types: withoutRepeated(types) };
}

const isBefore31 = (openapi: unknown): boolean => typeof openapi === 'string' && /^3\.0(?:\.|$)/.test(openapi);

function readSchemas(document: SchemaNode): { types: ImportedType[] } | { mistake: string } {
  if (document['swagger'] !== undefined) return { mistake: 'is one of Swagger 2, which has no webhooks' };
  if (document['asyncapi'] !== undefined) return { mistake: 'is one of AsyncAPI, which can’t be imported' };
  if (typeof document['$schema'] === 'string')
    return { mistake: 'is a JSON Schema: give an object of JSON Schemas by the names of their types' };
  const convert = createConversion();
  const types = Object.entries(document).map(([name, schema]): ImportedType => {
    const version = { schema: convert(schema, dialectOf(nodeOf(schema)['$schema']) ?? '2020-12') };
    const isSchema = typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null);
    return { name, content: {}, version, ...(!isSchema && { mistake: '/schema must be an object or a boolean' }) };
  });
  return { types };
}

/** Keys of webhooks are often written like paths. */
const nameOfKey = (key: string): string => (key.length > 1 && key.startsWith('/') ? key.slice(1) : key);

function withoutRepeated(types: readonly ImportedType[]): ImportedType[] {
  const seen = new Set<string>();
  return types.map((type) => {
    const isRepeated = seen.has(type.name);
    seen.add(type.name);
    return isRepeated ? { ...type, mistake: 'another webhook of the document has this name' } : type;
  });
}

/** Operations that may bring a body, the usual one first. */
const methods = ['post', 'put', 'patch', 'get', 'delete'];

interface Reading {
  document: SchemaNode;
  bundle: Bundle;
  dialect: Dialect;
  convert: ConvertDialect;
  fit: ReturnType<typeof createFit>;
}

function readWebhook(reading: Reading, key: string, item: unknown): ImportedType {
  const { document } = reading;
  const follow = (value: unknown): SchemaNode => {
    const node = nodeOf(value);
    return typeof node['$ref'] === 'string' ? nodeOf(resolveReference(document, node['$ref'])) : node;
  };
  const path = follow(item);
  const operation = follow(methods.map((method) => path[method]).find((one) => one !== undefined));
  const body = jsonBodyOf(nodeOf(follow(operation['requestBody'])['content']));
  const texts = textsOf(operation);
  const [tag] = listOf(operation['tags']);
  const own = nodeOf(operation[extension]);
  const { version_notes: notes, name, ...more } = own;
  const { schema, mistake = mistakeOf(item, path) } =
    body['schema'] === undefined ? {} : readSchema(reading, { key, schema: body['schema'], own });
  return {
    name: typeof name === 'string' ? name : nameOfKey(key),
    content: {
      description: [...new Set(texts.length > 0 ? texts : textsOf(path))].join('\n\n'),
      ...(typeof tag === 'string' && { category: tag }),
      ...(operation['deprecated'] === true && { deprecation: {} }),
      ...more,
    },
    version: {
      ...(schema !== undefined && { schema: reading.fit(schema), ...exampleOf(body, follow) }),
      ...(typeof notes === 'string' && { version_notes: notes }),
    },
    mistake,
  };
}

const isNode = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = ({ description, summary }: SchemaNode): unknown[] =>
  [description, summary].filter((text) => typeof text === 'string' && text !== '');

/** In `x-webhooks`, which no specification describes, are texts and other things, too. */
function mistakeOf(item: unknown, path: SchemaNode): string | undefined {
  const { $ref } = nodeOf(item);
  if (typeof $ref === 'string' && Object.keys(path).length === 0)
    return `refers to ${$ref.slice(0, 200)}, which the document does not have`;
  return isNode(item) ? undefined : 'is not an object with an operation, such as `post`';
}

/** The media type `application/json`, else another with JSON, else the one that is any. */
function jsonBodyOf(content: SchemaNode): SchemaNode {
  const kinds = [
    /^application\/json$/,
    /^application\/json\s*;/,
    /^[^;]+\+json\s*(?:;|$)/,
    /^(?:application\/)?\*(?:\/\*)?$/,
  ];
  const names = Object.keys(content);
  const [found] = kinds.flatMap((kind) => names.filter((name) => kind.test(name.toLowerCase())));
  return found === undefined ? {} : nodeOf(content[found]);
}

function readSchema(
  { bundle, dialect, convert }: Reading,
  { key, schema: given, own }: { key: string; schema: unknown; own: SchemaNode },
): { schema?: unknown; mistake?: string } {
  const bundled = bundledOrMistake(() => bundle(key, given));
  if (bundled instanceof TooLarge) return { mistake: `/schema ${bundled.message}` };
  const itsOwn = nodeOf(nodeOf(given)['$defs']);
  const [missing] = Object.entries(nodeOf(nodeOf(bundled)['$defs'])).filter(
    ([name, shared]) => shared === false && itsOwn[name] !== false,
  );
  // An export has the schemas that were published.
  const isExported = Object.keys(own).length > 0;
  const schema = isExported ? bundled : convert(bundled, dialectOf(nodeOf(bundled)['$schema']) ?? dialect);
  return missing === undefined || isExported
    ? { schema }
    : { schema, mistake: `/schema refers to ${missing[0]}, which the document does not have` };
}

function bundledOrMistake(bundle: () => unknown): unknown {
  try {
    return bundle();
  } catch (error) {
    if (error instanceof TooLarge) return error;
    throw error;
  }
}

function exampleOf(body: SchemaNode, follow: (value: unknown) => SchemaNode): { example?: unknown } {
  if (Object.hasOwn(body, 'example')) return { example: body['example'] };
  const [first] = Object.values(nodeOf(body['examples']));
  const given = follow(first);
  return Object.hasOwn(given, 'value') ? { example: given['value'] } : {};
}
