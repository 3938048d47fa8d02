import { Ajv2020 } from 'ajv/dist/2020.js';
import { createConversion, type Dialect, dialectOf } from '../../../../libs/schema-checks/documents/convert-dialect.ts';

const accepts = (schema: unknown, value: unknown): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object)(value) === true;

const convert = (schema: unknown, dialect: Dialect = 'openapi-3.0'): unknown => createConversion()(schema, dialect);

describe('OpenAPI 3.0', () => {
  test('a bound that is exclusive by a flag is the exclusive bound', () => {
    expect(convert({ type: 'number', minimum: 0, exclusiveMinimum: true })).toEqual({
      type: 'number',
      exclusiveMinimum: 0,
    });
    expect(convert({ maximum: 9, exclusiveMaximum: true, minimum: 1, exclusiveMinimum: false })).toEqual({
      exclusiveMaximum: 9,
      minimum: 1,
    });
    expect(convert({ exclusiveMinimum: true })).toEqual({});
    expect(convert({ exclusiveMinimum: 3 })).toEqual({ exclusiveMinimum: 3 });
  });

  test.each([
    ['a type', { type: 'string', nullable: true }, 'x', 1],
    ['values to choose from', { type: 'string', nullable: true, enum: ['open'] }, 'open', 'x'],
    ['values alone', { nullable: true, enum: ['open'] }, 'open', 'x'],
    ['a reference', { nullable: true, $ref: '#/$defs/payer' }, { name: 'x' }, { name: 1 }],
    ['allOf', { nullable: true, allOf: [{ $ref: '#/$defs/payer' }] }, { name: 'x' }, { name: 1 }],
    [
      'oneOf with another null',
      { nullable: true, oneOf: [{ type: 'string', nullable: true }, { type: 'object' }] },
      'x',
      1,
    ],
    ['anyOf and a type', { type: 'object', nullable: true, anyOf: [{ required: ['a'] }] }, { a: 1 }, {}],
  ])('nullable beside %s takes null, and what it took', (_beside, field, good, bad) => {
    const schema = convert({
      type: 'object',
      required: ['field'],
      properties: { field },
      $defs: { payer: { type: 'object', properties: { name: { type: 'string' } } } },
    });
    expect([null, good, bad].map((value) => accepts(schema, { field: value }))).toEqual([true, true, false]);
  });

  test('without nullable null is no value, and `nullable: false` is no keyword', () => {
    expect(convert({ type: 'string', nullable: false })).toEqual({ type: 'string' });
    expect(accepts(convert({ type: 'string' }), null)).toBe(false);
  });

  test('nothing counts beside a reference but notes to the reader', () => {
    expect(convert({ $ref: '#/$defs/a', required: ['x'], description: 'D', $defs: { a: { minLength: 1 } } })).toEqual({
      $ref: '#/$defs/a',
      description: 'D',
      $defs: { a: { minLength: 1 } },
    });
  });

  test('an example is one of the examples; what has no meaning for values goes', () => {
    const schema = { type: 'object', example: { a: 1 }, discriminator: { propertyName: 'kind' }, xml: { name: 'a' } };
    expect(convert(schema)).toEqual({ type: 'object', examples: [{ a: 1 }] });
    expect(convert({ type: 'file' })).toEqual({ type: 'string' });
    expect(convert({ type: 'any' })).toEqual({});
  });

  test('properties may be called like keywords, and data stays as it is', () => {
    const properties = {
      nullable: { type: 'boolean' },
      example: { type: 'string', nullable: true },
      exclusiveMinimum: { type: 'boolean', default: { nullable: true }, enum: [{ nullable: true }] },
    };
    expect(convert({ properties })).toEqual({
      properties: { ...properties, example: { type: ['string', 'null'] } },
    });
    const own = convert(JSON.parse('{"properties":{"__proto__":{"type":"string","nullable":true}}}')) as {
      properties: object;
    };
    expect(JSON.stringify(own)).toBe('{"properties":{"__proto__":{"type":["string","null"]}}}');
  });
});

test('OpenAPI 3.1 keeps what is beside a reference, and its flags of 3.0 are read too', () => {
  const schema = { $ref: '#/$defs/a', required: ['x'] };
  expect(convert(schema, 'openapi-3.1')).toEqual(schema);
  expect(convert({ type: 'integer', nullable: true, minimum: 1, exclusiveMinimum: true }, 'openapi-3.1')).toEqual({
    type: ['integer', 'null'],
    exclusiveMinimum: 1,
  });
});

describe('older drafts', () => {
  test('are known by $schema', () => {
    expect(dialectOf('http://json-schema.org/draft-07/schema#')).toBe('draft-07');
    expect(dialectOf('http://json-schema.org/schema#')).toBe('draft-04');
    expect(dialectOf('https://json-schema.org/draft/2019-09/schema')).toBe('2019-09');
    expect(dialectOf('https://spec.openapis.org/oas/3.1/dialect/base')).toBe('openapi-3.1');
    expect(dialectOf('https://example.com/own')).toBeUndefined();
    expect(dialectOf(7)).toBeUndefined();
  });

  test('tuples, dependencies and anchors are spelled as today', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.com/order#',
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
        list: { items: { $id: '#line', type: 'object' }, additionalItems: false },
      },
      dependencies: { card: ['address'], code: { required: ['city'] } },
    };
    const converted = convert(schema, 'draft-07');
    expect(converted).toEqual({
      $id: 'https://example.com/order',
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
        list: { items: { $anchor: 'line', type: 'object' } },
      },
      dependentRequired: { card: ['address'] },
      dependentSchemas: { code: { required: ['city'] } },
    });
    expect(accepts(converted, { pair: ['a', 1] })).toBe(true);
    expect(accepts(converted, { pair: ['a', 1, 2] })).toBe(false);
    expect(accepts(converted, { card: 1 })).toBe(false);
  });

  test('of draft-04 come `id` and flags, of 2019-09 the recursion', () => {
    expect(convert({ id: 'https://example.com/a', maximum: 1, exclusiveMaximum: true }, 'draft-04')).toEqual({
      $id: 'https://example.com/a',
      exclusiveMaximum: 1,
    });
    const tree = { $recursiveAnchor: true, properties: { below: { $recursiveRef: '#' } } };
    expect(convert(tree, '2019-09')).toEqual({ properties: { below: { $ref: '#' } } });
  });
});

test('2020-12, what is no schema, and the given schema itself stay as they are', () => {
  const schema = { type: 'string', nullable: true };
  expect(convert(schema, '2020-12')).toBe(schema);
  for (const value of [true, null, 'x', [{ nullable: true }]]) expect(convert(value)).toEqual(value);
  const given = { properties: { a: Object.freeze({ type: 'string', nullable: true }) } };
  convert(given);
  expect(given.properties.a).toEqual({ type: 'string', nullable: true });
  expect(convert({ properties: 7, allOf: { a: 1 }, items: 'x' })).toEqual({
    properties: 7,
    allOf: { a: 1 },
    items: 'x',
  });
});

test('a deep or a wide schema takes time by its size alone', () => {
  const text = `${'{"allOf":[{"nullable":true,"not":'.repeat(20_000)}{}${'}]}'.repeat(20_000)}`;
  const began = performance.now();
  convert(JSON.parse(text));
  convert({ properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n, { nullable: true }])) });
  expect(performance.now() - began).toBeLessThan(5_000);
});
