import { type ImportedType, readDocument } from '../../../../libs/schema-checks/documents/read-document.ts';

const posted = (body: object) => ({ post: { requestBody: { content: { 'application/json': body } } } });

function typesOf(document: Record<string, unknown>): ImportedType[] {
  const read = readDocument(document);
  if ('mistake' in read) throw new Error(read.mistake);
  return read.types;
}
const namesOf = (document: Record<string, unknown>) => typesOf(document).map(({ name }) => name);
const schemaOf = (document: Record<string, unknown>) => typesOf(document)[0]?.version.schema;

test('keys that are written like paths are names without the slash, and an export says the name itself', () => {
  const webhooks = { '/AUTHORISATION': posted({}), 'orders/create': posted({}), '/': posted({}) };
  expect(namesOf({ openapi: '3.1.0', webhooks })).toEqual(['AUTHORISATION', 'orders/create', '/']);
  const exported = { post: { 'x-hookline': { name: '/event/Low_Ink__e' } } };
  expect(namesOf({ openapi: '3.1.0', webhooks: { '/event/Low_Ink__e': exported } })).toEqual(['/event/Low_Ink__e']);
});

test('of two webhooks with one name the second is left out', () => {
  const types = typesOf({ openapi: '3.1.0', webhooks: { a: posted({}), '/a': posted({}) } });
  expect(types.map(({ mistake }) => mistake)).toEqual([undefined, 'another webhook of the document has this name']);
});

test('schemas of a document of OpenAPI 3.0 are converted, shared ones too', () => {
  const document = {
    openapi: '3.0.3',
    'x-webhooks': { paid: posted({ schema: { $ref: '#/components/schemas/Order' } }) },
    components: {
      schemas: {
        Order: {
          type: 'object',
          properties: { payer: { nullable: true, allOf: [{ $ref: '#/components/schemas/Payer' }] } },
        },
        Payer: { type: 'object', properties: { age: { type: 'integer', minimum: 0, exclusiveMinimum: true } } },
      },
    },
  };
  expect(schemaOf(document)).toEqual({
    $ref: '#/$defs/Order',
    $defs: {
      Order: {
        type: 'object',
        properties: { payer: { anyOf: [{ allOf: [{ $ref: '#/$defs/Payer' }] }, { type: 'null' }] } },
      },
      Payer: { type: 'object', properties: { age: { type: 'integer', exclusiveMinimum: 0 } } },
    },
  });
});

test('the dialect may be said by the document or the schema; an export is read as it is', () => {
  const tuple = { type: 'array', items: [{ type: 'string' }] };
  const converted = { type: 'array', prefixItems: [{ type: 'string' }] };
  const draft7 = 'http://json-schema.org/draft-07/schema#';
  expect(schemaOf({ openapi: '3.1.0', jsonSchemaDialect: draft7, webhooks: { a: posted({ schema: tuple }) } })).toEqual(
    converted,
  );
  expect(schemaOf({ openapi: '3.1.0', webhooks: { a: posted({ schema: { $schema: draft7, ...tuple } }) } })).toEqual(
    converted,
  );
  expect(schemaOf({ a: { $schema: draft7, ...tuple } })).toEqual(converted);
  const own = { type: 'string', nullable: true };
  const exported = { post: { ...posted({ schema: own }).post, 'x-hookline': { visibility: 'public' } } };
  expect(schemaOf({ openapi: '3.1.0', webhooks: { a: exported } })).toEqual(own);
});

test('a reference to nothing is the mistake of its webhook alone', () => {
  const webhooks = { bad: posted({ schema: { $ref: '#/components/schemas/Gone' } }), good: posted({ schema: true }) };
  expect(typesOf({ openapi: '3.1.0', webhooks }).map(({ name, mistake }) => [name, mistake])).toEqual([
    ['bad', '/schema refers to Gone, which the document does not have'],
    ['good', undefined],
  ]);
  const own = { $defs: { no: false }, not: { $ref: '#/$defs/no' } };
  expect(typesOf({ a: own })[0]?.mistake).toBeUndefined();
});

test.each([
  ['application/json; charset=utf-8'],
  ['Application/JSON'],
  ['application/vnd.example+json'],
  ['application/cloudevents+json; charset=utf-8'],
  ['*/*'],
])('a body of %s is JSON', (mediaType) => {
  const content = { 'text/plain': { schema: false }, [mediaType]: { schema: true } };
  expect(schemaOf({ openapi: '3.1.0', webhooks: { a: { post: { requestBody: { content } } } } })).toBe(true);
});

test('the operation may be another than POST, and things may be of any kind', () => {
  expect(schemaOf({ openapi: '3.1.0', webhooks: { a: { put: posted({ schema: true }).post } } })).toBe(true);
  for (const strange of [{ post: [] }, { post: { requestBody: 7, tags: 'x', deprecated: 'yes' } }, {}])
    expect(typesOf({ openapi: '3.1.0', webhooks: { a: strange } })).toMatchObject([
      { name: 'a', content: { description: '' }, mistake: undefined },
    ]);
  const described = { description: 'Sent when it ends.', get: { summary: '' } };
  expect(typesOf({ openapi: '3.0.0', 'x-webhooks': { a: described } })).toMatchObject([
    { content: { description: 'Sent when it ends.' } },
  ]);
});

test('what is beside webhooks in `x-webhooks` is no type', () => {
  const webhooks = { description: 'Signed by …', list: [], none: null, gone: { $ref: '#/components/pathItems/Gone' } };
  expect(typesOf({ openapi: '3.0.0', 'x-webhooks': webhooks }).map(({ mistake }) => mistake)).toEqual([
    ...Array.from({ length: 3 }, () => 'is not an object with an operation, such as `post`'),
    'refers to #/components/pathItems/Gone, which the document does not have',
  ]);
});

test.each([
  [{ openapi: '3.0.0', paths: {} }, 'has neither webhooks nor x-webhooks'],
  [{ openapi: '3.1.0', webhooks: [] }, 'must have its webhooks by their names'],
  [{ openapi: '3.0.0', 'x-webhooks': 'none' }, 'must have its webhooks by their names'],
  [{ swagger: '2.0', paths: {} }, 'is one of Swagger 2, which has no webhooks'],
  [{ asyncapi: '3.0.0' }, 'is one of AsyncAPI, which can’t be imported'],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', definitions: {} }, /^is a JSON Schema: /],
])('%j is no document of types, and is told so', (document, mistake) => {
  expect(readDocument(document)).toEqual({ mistake: expect.stringMatching(mistake) as string });
});

test('among schemas by name, what is no schema is the mistake of that name', () => {
  expect(typesOf({ a: true, b: 'x', c: null }).map(({ mistake }) => mistake)).toEqual([
    undefined,
    ...['/schema must be an object or a boolean', '/schema must be an object or a boolean'],
  ]);
});
