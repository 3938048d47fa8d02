/**
 * Short forms of JSON Schema 2020-12, as OpenAPI 3.1 has it, with TypeBox's types: `Static<typeof schema>` is the type of what it describes.
 * They are plain objects. TypeBox's own builders would cost each process that has a contract 20 MiB and a tenth of a second; its types cost
 * nothing, and its `kinds` are not there at run time.
 */
import type { Static, TBoolean, TInteger, TNumber, TProperties, TRecord, TSchema, TString, TUnsafe } from 'typebox';

export type { Static, TSchema as Schema } from 'typebox';

const typed = <S extends TSchema>(schema: TSchema): S => schema as S;

/** A list that nobody changes. */
export interface ListSchema<S extends TSchema> extends TUnsafe<readonly Static<S>[]> {
  items: S;
}

interface ListBounds {
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

type Simplified<T> = { [Name in keyof T]: T[Name] };

/** An object that has all of the first fields, and may have the others. */
export interface ObjectSchema<Required extends TProperties, Optional extends TProperties = Nothing> extends TUnsafe<
  Simplified<
    { [Name in keyof Required]: Static<Required[Name]> } & { [Name in keyof Optional]?: Static<Optional[Name]> }
  >
> {
  required: readonly string[];
  properties: Required & Optional;
}

interface TextBounds {
  format?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  description?: string;
}

type Nothing = Record<never, never>;

/** All properties are required, except those named as optional. */
export const object = <Required extends TProperties, Optional extends TProperties = Nothing>(
  properties: Required,
  optional?: Optional,
): ObjectSchema<Required, Optional> =>
  typed({ type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } });

/** The same for requests, which are refused where they have a field that nobody knows. */
export const closedObject = <Required extends TProperties, Optional extends TProperties = Nothing>(
  properties: Required,
  optional?: Optional,
): ObjectSchema<Required, Optional> => {
  const required = Object.keys(properties);
  return typed({
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: { ...properties, ...optional },
  });
};

/** For requests that may leave everything out. */
export const optionalFields = <Optional extends TProperties>(properties: Optional): ObjectSchema<Nothing, Optional> =>
  closedObject({}, properties);

/** With at least one property. */
export const notEmpty = <S extends TSchema>(schema: S): S => typed({ ...schema, minProperties: 1 });

/** A merge patch accepts any value for known fields: the object that results is validated. */
export const patchOf = <Required extends TProperties, Optional extends TProperties>(
  { properties }: ObjectSchema<Required, Optional>,
  ...more: readonly string[]
): TUnsafe<{ [Name in keyof (Required & Optional)]?: Static<(Required & Optional)[Name]> | null }> =>
  typed({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([...Object.keys(properties), ...more].map((name) => [name, {}])),
  });

/** The same object with more required properties. */
export const extend = <Base extends TProperties, Optional extends TProperties, More extends TProperties>(
  base: ObjectSchema<Base, Optional>,
  more: More,
): ObjectSchema<Base & More, Optional> =>
  typed({
    ...base,
    required: [...base.required, ...Object.keys(more)],
    properties: { ...base.properties, ...more },
  });

export const text = typed<TString>({ type: 'string' });
export const textOf = (bounds: TextBounds): TString => typed({ type: 'string', ...bounds });
export const textIn = <const Values extends readonly string[]>(values: Values): TUnsafe<Values[number]> =>
  typed({ type: 'string', enum: values });
export const nullableTextIn = <const Values extends readonly string[]>(
  values: Values,
): TUnsafe<Values[number] | null> => typed({ type: ['string', 'null'], enum: [...values, null] });
export const flag = typed<TBoolean>({ type: 'boolean' });
export const count = typed<TInteger>({ type: 'integer', minimum: 0 });
export const integer = typed<TInteger>({ type: 'integer' });
export const number = typed<TNumber>({ type: 'number' });
export const map = <S extends TSchema>(values: S): TRecord<'^.*$', S> =>
  typed({ type: 'object', additionalProperties: values });
export const list = <S extends TSchema>(items: S, bounds: ListBounds = {}): ListSchema<S> =>
  typed({ type: 'array', ...bounds, items });
/** With bounds on its names. */
export const mapOf = <S extends TSchema>(
  values: S,
  bounds: { maxProperties?: number; propertyNames?: TSchema },
): TRecord<'^.*$', S> => typed({ type: 'object', ...bounds, additionalProperties: values });
/** A text, or a list of them. */
export const oneOrMore = <S extends TSchema>(item: S, bounds: ListBounds): TUnsafe<Static<S> | readonly Static<S>[]> =>
  typed({ if: { type: 'string' }, then: item, else: { type: 'array', ...bounds, items: item } });
export const unknownValue = typed<TUnsafe<unknown>>({});
/** A JSON Schema. */
export const jsonSchema = typed<TUnsafe<unknown>>({ type: ['object', 'boolean'], additionalProperties: true });
export const oneOf = <const Values extends readonly (string | number | null)[]>(
  values: Values,
): TUnsafe<Values[number]> => typed({ enum: values });
export const id = (prefix: string): TString => typed({ type: 'string', pattern: `^${prefix}_[0-9a-z]{26}$` });

export const either = <S extends readonly TSchema[]>(...schemas: S): TUnsafe<Static<S[number]>> =>
  typed({ anyOf: schemas });

/** Whatever JSON objects hold. */
export const anyObject = typed<TUnsafe<Readonly<Record<string, unknown>>>>({
  type: 'object',
  additionalProperties: true,
});

/** RFC 3339, UTC, with microseconds. */
export const time = typed<TString>({ type: 'string', format: 'date-time', pattern: '\\.\\d{6}Z$' });

export const nullable = <S extends TSchema>(schema: S): TUnsafe<Static<S> | null> =>
  typed(
    'type' in schema && typeof schema.type === 'string'
      ? { ...schema, type: [schema.type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  );

export const saying = <S extends TSchema>(description: string, schema: S): S => typed({ ...schema, description });
