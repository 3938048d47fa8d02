import type { EventTypeField } from '#lib/api-contract';
import { maxFieldsLength, maxFieldText, maxPageFields } from './limits.ts';
import type { SchemaField, SchemaFields } from './schema-fields.ts';

/** The fields of a schema as a page shows them, with names: elements of lists and values of any name are what their fields are in. */
export function pageFields({ fields, truncated }: SchemaFields): { fields: EventTypeField[]; truncated: boolean } {
  const shown: EventTypeField[] = [];
  let length = 0;
  for (const [path, field] of fields) {
    if (path === '' || path.endsWith('[]') || path.endsWith('*')) continue;
    const one: EventTypeField = {
      path: cut(path),
      type: cut(typeOf(field)),
      required: field.required,
      description: cut(field.description),
    };
    length += one.path.length + one.type.length + one.description.length;
    if (shown.length === maxPageFields || length > maxFieldsLength) return { fields: shown, truncated: true };
    shown.push(one);
  }
  return { fields: shown, truncated };
}

function typeOf({ types, values, rest }: SchemaField): string {
  if (values !== undefined) {
    const texts: string[] = [];
    for (const text of values.keys()) if (texts.push(text) === maxValues) break;
    return texts.join(' or ');
  }
  const format = rest.map((node) => node['format']).find((one) => typeof one === 'string');
  return `${types.length === 0 ? 'any' : types.join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}

const maxValues = 100;

const cut = (text: string): string =>
  text.length <= maxFieldText ? text : `${text.slice(0, maxFieldText - 1).toWellFormed()}…`;
