import { exampleOfSchema } from '../../../../services/api/event-types/example-of-schema.ts';

test('an example has the given values, else something of the type', () => {
  const schema = {
    $defs: {
      money: { type: 'object', properties: { amount: { type: 'integer', minimum: 5 }, currency: { enum: ['eur'] } } },
    },
    type: 'object',
    properties: {
      id: { type: 'string', examples: ['inv_1'] },
      kind: { const: 'invoice' },
      at: { type: 'string', format: 'date-time' },
      total: { $ref: '#/$defs/money' },
      lines: { type: 'array', items: { type: 'boolean' } },
      note: { type: ['null', 'string'], minLength: 8 },
      one: { oneOf: [{ type: 'object', properties: { a: { default: 1 } } }, { type: 'string' }] },
    },
  };
  expect(exampleOfSchema(schema)).toEqual({
    ...{ id: 'inv_1', kind: 'invoice', at: '2026-01-31T09:30:00Z', total: { amount: 5, currency: 'eur' } },
    ...{ lines: [true], note: 'stringxx', one: { a: 1 } },
  });
  expect(exampleOfSchema(true)).toBeNull();
});

test('it ends, whatever the schema', () => {
  const loop = {
    $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } } } },
    $ref: '#/$defs/a',
  };
  expect(JSON.stringify(exampleOfSchema(loop)).length).toBeLessThan(100_000);
  expect(exampleOfSchema({ $ref: '#' })).toBeNull();
});
