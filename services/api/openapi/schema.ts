/** JSON Schema 2020-12 as in OpenAPI 3.1, with short forms for the parts of answers. */
export type Schema = Readonly<Record<string, unknown>>;

/** All properties are required, except those named as optional. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

/** The same object with more properties. */
export function extend(base: Schema, more: Readonly<Record<string, Schema>>): Schema {
  const { required, properties } = base as {
    required: readonly string[];
    properties: Readonly<Record<string, Schema>>;
  };
  return { ...base, required: [...required, ...Object.keys(more)], properties: { ...properties, ...more } };
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const number: Schema = { type: 'number' };
export const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const oneOf = (values: readonly (string | number | null)[]): Schema => ({ enum: values });
export const id = (prefix: string): Schema => ({ type: 'string', pattern: `^${prefix}_[0-9a-z]{26}$` });

/** RFC 3339, UTC, with microseconds. */
export const time: Schema = { type: 'string', format: 'date-time', pattern: '\\.\\d{6}Z$' };

export const nullable = (schema: Schema): Schema =>
  typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

export const saying = (description: string, schema: Schema): Schema => ({ ...schema, description });
