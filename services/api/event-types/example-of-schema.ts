/**
 * An example that is made from a schema: constants, defaults, given examples and first values of enumerations, else something of the type. It need
 * not match (a pattern, a condition): who publishes it checks it.
 */
import { listOf, nodeOf, resolveReference, type SchemaNode } from './schema-node.ts';

const maxLevels = 16;
const maxValues = 2_000;

export function exampleOfSchema(schema: unknown): unknown {
  const making = { root: schema, left: maxValues };
  return make(making, schema, maxLevels);
}

interface Making {
  root: unknown;
  /** Values that may still be made. */
  left: number;
}

function make(making: Making, schema: unknown, levels: number): unknown {
  making.left -= 1;
  const node = resolved(making.root, schema);
  for (const keyword of ['const', 'example', 'default']) if (Object.hasOwn(node, keyword)) return node[keyword];
  for (const keyword of ['examples', 'enum']) {
    const values = node[keyword];
    if (Array.isArray(values) && values.length > 0) return values[0];
  }
  if (levels === 0 || making.left <= 0) return null;
  const [first] = [...listOf(node['oneOf']), ...listOf(node['anyOf'])];
  const all = listOf(node['allOf']);
  const merged = [...all, ...(first === undefined ? [] : [first])].map((part) => make(making, part, levels - 1));
  const objects = merged.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  const own = ofType(making, node, levels);
  if (typeof own === 'object' && own !== null && !Array.isArray(own))
    return Object.assign({}, ...objects, own) as object;
  return own ?? (objects.length > 0 ? (Object.assign({}, ...objects) as object) : (merged[0] ?? null));
}

function ofType(making: Making, node: SchemaNode, levels: number): unknown {
  switch (typeOf(node)) {
    case 'object': {
      const required = new Set(listOf(node['required']));
      const properties = Object.entries(nodeOf(node['properties']));
      // Where there is little room, what must be there has it.
      const chosen = making.left > properties.length ? properties : properties.filter(([name]) => required.has(name));
      return Object.fromEntries(chosen.map(([name, property]) => [name, make(making, property, levels - 1)]));
    }
    case 'array': {
      const items = nodeOf(node['items']);
      const least = Math.min(Math.max(numberOf(node['minItems'], 1), 0), 20);
      return Array.from({ length: least }, () => make(making, items, levels - 1));
    }
    case 'string':
      return ofFormat(node);
    case 'integer':
    case 'number':
      return within(node);
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}

function typeOf(node: SchemaNode): string | undefined {
  const { type } = node;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return (type as unknown[]).find((one): one is string => one !== 'null' && typeof one === 'string');
  if (node['properties'] !== undefined) return 'object';
  return node['items'] === undefined ? undefined : 'array';
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '3f2b8a4e-5f0e-4a0c-9a57-0b6f4c6c2a10',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

function ofFormat(node: SchemaNode): string {
  const text = formats[String(node['format'])] ?? 'string';
  const [least, most] = [numberOf(node['minLength'], 0), numberOf(node['maxLength'], 1_000)];
  return text.padEnd(Math.min(least, 1_000), 'x').slice(0, Math.max(most, 0));
}

function within(node: SchemaNode): number {
  const step = node['type'] === 'integer' ? 1 : 0.5;
  const least = Math.max(
    numberOf(node['minimum'], Number.NEGATIVE_INFINITY),
    numberOf(node['exclusiveMinimum'], Number.NEGATIVE_INFINITY) + step,
  );
  const most = Math.min(
    numberOf(node['maximum'], Number.POSITIVE_INFINITY),
    numberOf(node['exclusiveMaximum'], Number.POSITIVE_INFINITY) - step,
  );
  const inside = Math.min(Math.max(1, least), most);
  const multiple = numberOf(node['multipleOf'], 0);
  return multiple > 0 ? Math.ceil(inside / multiple) * multiple : inside;
}

function resolved(root: unknown, schema: unknown): SchemaNode {
  let node = nodeOf(schema);
  for (let hops = 0; typeof node['$ref'] === 'string' && hops < maxLevels; hops += 1)
    node = { ...nodeOf(resolveReference(root, node['$ref'])), ...withoutReference(node) };
  return node;
}

const withoutReference = ({ $ref: _, ...rest }: SchemaNode): SchemaNode => rest;
const numberOf = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);
