/** Values that a JSON Schema takes, as far as it tells. */
import fc from 'fast-check';

export interface JsonSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  then?: JsonSchema;
  else?: JsonSchema;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  items?: JsonSchema;
  minItems?: number;
  additionalProperties?: JsonSchema | boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** Arbitraries for fields whose form the schema does not tell, by the field's name. */
export type KnownFields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** The most properties that an object has of the ones that it may leave out. */
const mostOptional = 2;
const mostCharacters = 40;
const mostItems = 3;

export function createSchemaValues(known: KnownFields) {
  const made = new Map<JsonSchema, fc.Arbitrary<unknown>>();
  const fieldOf = (name: string, schema: JsonSchema): fc.Arbitrary<unknown> => known[name] ?? valueOf(schema);
  return { valueOf, fieldOf };

  function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
    const values = made.get(schema) ?? make(schema);
    made.set(schema, values);
    return values;
  }

  function make(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { type, anyOf, pattern, minLength = 0, maxLength = 300, minimum = 0, maximum = 1_000_000 } = schema;
    const { items, minItems = 0, additionalProperties } = schema;
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (anyOf !== undefined) return fc.oneof(...anyOf.map(valueOf));
    if (schema.then !== undefined) return fc.oneof(...[schema.then, schema.else ?? {}].map(valueOf));
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: minimum, max: maximum });
      case 'number':
        return fc.double({ min: minimum, max: maximum, noNaN: true });
      case 'string':
        return textOf(pattern, { minLength, maxLength });
      case 'array':
        return fc.uniqueArray(valueOf(items ?? {}), { minLength: minItems, maxLength: mostItems });
      case 'object':
        return typeof additionalProperties === 'object'
          ? fc.dictionary(fc.stringMatching(/^[A-Za-z-]{1,20}$/), valueOf(additionalProperties), { maxKeys: mostItems })
          : objectOf(schema);
      case undefined:
        return fc.jsonValue({ maxDepth: 3 });
      default:
        if (typeof type === 'string') throw new Error(`a schema of the type ${type}`);
        return fc.oneof(...type.map((each) => valueOf({ ...schema, type: each })));
    }
  }

  function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldOf(name, field)]));
    const optional = Object.keys(fields).filter((name) => !required.includes(name));
    return fc
      .tuple(fc.record(fields), fc.subarray(optional, { maxLength: Math.min(mostOptional, optional.length) }))
      .map(([all, given]) => Object.fromEntries([...required, ...given].map((name) => [name, all[name]])));
  }
}

/** Patterns that no text can be made from (assertions, properties of characters) choose among texts of any kind. */
function textOf(pattern: string | undefined, lengths: { minLength: number; maxLength: number }): fc.Arbitrary<string> {
  const any = fc.string({ ...lengths, maxLength: Math.min(lengths.maxLength, mostCharacters) });
  if (pattern === undefined) return any;
  // As JSON Schema has it.
  const expression = new RegExp(pattern, 'u');
  return /\(\?[!=<]|\\p\{/i.test(pattern)
    ? any.filter((text) => expression.test(text))
    : fc
        .stringMatching(expression, { maxLength: lengths.maxLength })
        .filter(({ length }) => length >= lengths.minLength);
}
