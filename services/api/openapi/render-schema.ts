import { escapeHtml } from '#lib/html';

/** The keywords that are shown. */
interface Shown {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Shown;
  then?: Shown;
  else?: Shown;
  anyOf?: Shown[];
  required?: string[];
  properties?: Record<string, Shown>;
  additionalProperties?: boolean | Shown;
}

/** Describes a schema in words, with a table of its members if it is an object. */
export function renderSchema(given: object): string {
  const schema = given as Shown;
  const { properties = {}, required = [], description } = schema;
  const members = Object.entries(properties);
  if (members.length === 0) return `${kindOf(schema)}${description === undefined ? '' : `: ${prose(description)}`}`;
  const lines = members.map(
    ([name, member]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? '' : ' <span class="muted">optional</span>'}<td>${kindOf(member)}<td>${detailsOf(member)}`,
  );
  return `<table>${lines.join('')}</table>`;
}

/** `string or null`, `list of Event` */
function kindOf(schema: Shown): string {
  const { $ref, type, anyOf, items, then, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ');
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ');
  if (then !== undefined) return [then, schema.else ?? {}].map(kindOf).join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : kindOf(items)}`;
  if (type === undefined) return 'any JSON';
  const kind = [type].flat().join(' or ');
  return typeof additionalProperties === 'object' ? `${kind} of ${kindOf(additionalProperties)}` : kind;
}

function detailsOf(schema: Shown): string {
  const { description, format, properties } = schema;
  const words = [description === undefined ? undefined : prose(description), format, rangeOf(schema)];
  const told = words.filter((word) => word !== undefined && word !== '').join('; ');
  return properties === undefined ? told : `${told}${renderSchema(schema)}`;
}

function rangeOf({ type, minimum, maximum, minLength, maxLength, minItems, maxItems }: Shown): string {
  const range = (from: number | undefined, to: number | undefined, unit: string): string => {
    if (from === undefined && to === undefined) return '';
    if (to === undefined) return `${from} or more${unit}`;
    return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
  };
  return type === 'array'
    ? range(minItems, maxItems, ' items')
    : range(minLength, maxLength, ' characters') || range(minimum, maximum, '');
}

/** Renders text between backticks as code. */
export const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
