/** The fields that a JSON Schema describes, for a table. Whoever wrote it, it is walked in bounded steps, and never evaluated. */

interface SchemaField {
  /** `customer.address.city`, `lines[].amount`. */
  path: string;
  type: string;
  isRequired: boolean;
  description: string;
}

type Schema = Readonly<Record<string, unknown>>;

const maxFields = 500;
const maxDepth = 12;
/** A definition may refer to one that refers to it. */
const maxRefs = 16;

export function schemaFields(root: unknown): readonly SchemaField[] {
  const fields: SchemaField[] = [];

  function walk(given: unknown, path: string, depth: number): void {
    if (depth > maxDepth) return;
    const schema = resolve(root, given);
    if (schema === undefined) return;
    for (const part of listOf(schema['allOf'])) walk(part, path, depth + 1);
    const required = listOf(schema['required']);
    for (const [name, property] of Object.entries(objectOf(schema['properties']) ?? {})) {
      if (fields.length >= maxFields) return;
      const resolved = resolve(root, property) ?? {};
      const own = path === '' ? name : `${path}.${name}`;
      fields.push({
        path: own,
        type: typeOf(resolved),
        isRequired: required.includes(name),
        description: textOf(objectOf(property)?.['description']) || textOf(resolved['description']),
      });
      walk(resolved, own, depth + 1);
      walk(resolved['items'], `${own}[]`, depth + 1);
    }
    if (path === '') walk(schema['items'], '[]', depth + 1);
  }

  walk(root, '', 0);
  return fields;
}

function resolve(root: unknown, given: unknown): Schema | undefined {
  let schema = objectOf(given);
  for (let refs = 0; refs < maxRefs; refs += 1) {
    const ref = schema?.['$ref'];
    if (typeof ref !== 'string') return schema;
    schema = ref.startsWith('#') ? objectOf(atPointer(root, ref.slice(1))) : undefined;
  }
  return undefined;
}

function atPointer(root: unknown, pointer: string): unknown {
  if (pointer === '') return root;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => {
      const holder = objectOf(value);
      return holder !== undefined && Object.hasOwn(holder, name) ? holder[name] : undefined;
    }, root);
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string').join(' or ');
  const format = textOf(schema['format']);
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']);
  const values = listOf(schema['enum']);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(' or ');
  return `${named === '' ? 'any' : named}${format === '' ? '' : ` (${format})`}`;
}

const objectOf = (value: unknown): Schema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
