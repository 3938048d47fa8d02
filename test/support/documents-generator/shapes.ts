/** Each shape costs whoever follows references without counting them more than its size. */
type Schema = Readonly<Record<string, unknown>>;
export type Document = Readonly<{ openapi: string } & Record<string, unknown>>;

const documentOf = (webhooks: Record<string, Schema>, schemas: Record<string, Schema>): Document => ({
  openapi: '3.1.0',
  info: { title: 'Hard', version: '1' },
  webhooks: Object.fromEntries(
    Object.entries(webhooks).map(([name, schema]) => [
      name,
      { post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} } },
    ]),
  ),
  components: { schemas },
});

const componentRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const numbered = <T>(count: number, make: (index: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)));

/** @param bytes of the one component, about */
export function sharing({ webhooks, bytes }: { webhooks: number; bytes: number }): Document {
  const component = {
    type: 'object',
    properties: numbered(Math.ceil(bytes / 100), (index) => [
      `field_${index}`.padEnd(20, '_'),
      { type: 'string', description: 'a'.repeat(40) },
    ]),
  };
  return documentOf(
    numbered(webhooks, (index) => [`hook.${index}`, componentRef('Shared')]),
    { Shared: component },
  );
}

/** One webhook that refers to so many components. */
export const manyRefs = (refs: number): Document =>
  documentOf(
    { hook: { type: 'object', properties: numbered(refs, (index) => [`p${index}`, componentRef(`c${index}`)]) } },
    numbered(refs, (index) => [`c${index}`, { type: 'string' }]),
  );

/** Each component refers to the next one. */
export const chained = (refs: number): Document =>
  documentOf(
    { hook: componentRef('c0') },
    numbered(refs, (index) => [
      `c${index}`,
      index === refs - 1 ? { type: 'string' } : { type: 'object', properties: { n: componentRef(`c${index + 1}`) } },
    ]),
  );

/** So many components, each of which refers to all. */
export const circular = (components: number): Document => {
  const properties = numbered(components, (index) => [`p${index}`, componentRef(`c${index}`)]);
  return documentOf(
    numbered(components, (index) => [`hook.${index}`, componentRef(`c${index}`)]),
    numbered(components, (index) => [`c${index}`, { type: 'object', properties }]),
  );
};

/** So many references to one definition with so many properties. */
export const refsToProperties = ({ refs, properties }: { refs: number; properties: number }): Schema => ({
  type: 'object',
  properties: numbered(refs, (index) => [`r${index}`, { $ref: '#/$defs/wide' }]),
  $defs: {
    wide: { type: 'object', properties: numbered(properties, (index) => [`p${index}`, { type: 'string' }]) },
  },
});

/** A definition that refers to itself so many times. */
export const doubling = (times: number): Schema => ({
  $defs: { a: { allOf: Array.from({ length: times }, () => ({ $ref: '#/$defs/a' })) } },
  allOf: [false, { $ref: '#/$defs/a' }],
});

/** @param levels of objects in each other: two for each property */
export function deepSchema(levels: number): Schema {
  let schema: Schema = { type: 'string' };
  for (let level = 0; level < levels; level += 2) schema = { properties: { a: schema } };
  return schema;
}
