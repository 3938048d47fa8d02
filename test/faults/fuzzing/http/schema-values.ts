/** Bodies by the schemas of the API's own document. */
import type { Pools } from '../pools.ts';
import type { JsonSchema } from './routes.ts';

/** What a schema alone does not tell, by the field's name. */
export type Hints = Readonly<Record<string, unknown>>;

/** One that the schema would take, as far as it tells; required fields always, others at times. */
export function validValue(schema: JsonSchema, pools: Pools, hints: Hints): unknown {
  const { type, enum: values, anyOf, if: condition, then, minimum = 0, items, properties, required = [] } = schema;
  if (Array.isArray(values)) return pools.pick(values);
  if (Array.isArray(anyOf)) return validValue(pools.pick(anyOf as JsonSchema[]), pools, hints);
  if (condition !== undefined) return validValue(then as JsonSchema, pools, hints);
  switch (Array.isArray(type) ? pools.pick(type as string[]) : type) {
    case 'null':
      return null;
    case 'string':
      return 'abc';
    case 'integer':
    case 'number':
      return Math.max(1, Number(minimum));
    case 'boolean':
      return pools.random() < 0.5;
    case 'array':
      return items === undefined ? [] : [validValue(items as JsonSchema, pools, hints)];
    case 'object': {
      const names = Object.keys(properties ?? {});
      const given = names.filter((name) => (required as string[]).includes(name) || pools.random() < 0.15);
      return Object.fromEntries(
        given.map((name) => [
          name,
          name in hints
            ? hints[name]
            : validValue((properties as Record<string, JsonSchema>)[name] ?? {}, pools, hints),
        ]),
      );
    }
    default:
      return pools.json();
  }
}

/** The same with one field that is another, or one more, or one less; of one that is an object at times a field of it. */
export function mutated(value: unknown, schema: JsonSchema, pools: Pools): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return pools.oddValue();
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  const name = names.length === 0 ? pools.text() : pools.pick(names);
  const { [name]: before, ...others } = value as Record<string, unknown>;
  switch (pools.below(8)) {
    case 0:
      return others;
    case 1:
      return { ...value, [pools.pick(['__proto__x', 'extra', pools.text()])]: pools.oddValue() };
    case 2:
      return { ...value, [name]: mutated(before ?? {}, properties[name] ?? {}, pools) };
    default:
      return { ...value, [name]: pools.oddValue() };
  }
}
