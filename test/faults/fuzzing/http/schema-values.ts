/** Bodies by the schemas of the API's own document. */
import type { Pools } from '../pools.ts';
import type { JsonSchema } from './routes.ts';

/** Values that a schema alone does not tell, by the field's name. */
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

/** Values for fields with a form of their own. */
export const fieldHints: Hints = {
  ...{ type: 'fuzzed.event', payload: { n: 1 }, name: 'a name', scopes: ['read'], scheme: 'hookline' },
  ...{ since: '2026-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z', filter: { n: { $gt: 0 } } },
  ...{ dedup_id: '/id', event_type_from: '/type', ordering_key: '/order' },
  ...{
    headers: { 'X-A': 'b' },
    retry: { schedule: [1, 2] },
    allowed_ips: ['192.0.2.0/24'],
    rate_limit: { per_second: 5, burst: 5 },
  },
  ...{ dry_run: true, all: true, stage: 'dispatcher', proxy: null, client_certificate: null },
};

/** Texts that no column of text or JSON holds. */
const unstorable = ['\0', '\ud800', '\udfff', 'a\0', '\udc00\ud800'];

/**
 * A value that is right but for such a text in one of its fields, or in a name within it: what has the form that a pattern asks for gets
 * further than any odd value. The payload of an event may be any JSON.
 */
export function withUnstorableText(value: unknown, schema: JsonSchema, pools: Pools): unknown {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const all = Object.entries(properties)
    .filter(([name]) => name !== 'payload')
    .map(
      ([name, field]) => [name, name in fieldHints ? fieldHints[name] : validValue(field, pools, fieldHints)] as const,
    );
  const withText = all.filter(([, given]) => hasText(given));
  if (withText.length === 0) return { ...(value as object), [`a${pools.pick(unstorable)}`]: 1 };
  const [name, given] = pools.pick(withText);
  return { ...(value as object), [name]: spoilt(given, pools.pick(unstorable)) };
}

const hasText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && Object.keys(value).length > 0);

/** The same with this behind each text in it, names among them. */
function spoilt(value: unknown, by: string): unknown {
  if (typeof value === 'string') return `${value}${by}`;
  if (Array.isArray(value)) return value.map((each) => spoilt(each, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`${name}${by}`, spoilt(inner, by)]));
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
