/** The fields of forms. Errors are found by the field's name, which is that of the API: `url` is wrong where the API names `/url`. */
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';

interface Field {
  name: string;
  label: string;
  /** One sentence below the label. */
  hint?: string;
  value?: string;
  errors?: readonly FieldError[];
  isRequired?: boolean;
  /** Its place among several fields of this name, from 0. */
  index?: number;
}

/** Each is entered as one text, however deep within it a mistake is. */
const textsOfMany = new Set([
  ...['filter', 'headers', 'pass_headers', 'event_types', 'source_ids', 'payload', 'tags', 'tags_from'],
  ...['allowed_ips', 'dedup_id', 'event_type_from', 'ordering_key'],
]);

/** @param field a name, or a JSON pointer into what was sent */
export function fieldId(field: string): string {
  const name = field.replace(/^\//, '');
  const [first = ''] = name.split('/');
  return `field-${(textsOfMany.has(first) ? first : name).replaceAll(/[^\w-]/g, '-')}`;
}

export const textField = ({
  type = 'text',
  placeholder,
  size,
  ...field
}: Field & { type?: 'text' | 'url' | 'number' | 'password'; placeholder?: string; size?: number }): Html =>
  framed(
    field,
    (attributes) =>
      html`<input type="${type}"${attributes} value="${field.value ?? ''}"${placeholder !== undefined && html` placeholder="${placeholder}" autocomplete="off"`}${size !== undefined && html` size="${size}"`} spellcheck="false">`,
  );

export const textArea = ({ rows = 4, ...field }: Field & { rows?: number }): Html =>
  // A browser leaves out the first newline.
  framed(
    field,
    (attributes) =>
      html`<textarea rows="${rows}" spellcheck="false"${attributes}>${`\n${field.value ?? ''}`}</textarea>`,
  );

export const selectField = ({
  options,
  ...field
}: Field & { options: readonly { value: string; label: string }[] }): Html =>
  framed(
    field,
    (attributes) =>
      html`<select${attributes}>${options.map(({ value, label }) => html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>`)}</select>`,
  );

export const checkbox = ({
  name,
  label,
  value = '1',
  isChecked = false,
}: Pick<Field, 'name' | 'label' | 'value'> & { isChecked?: boolean }): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> ${label}</label>`;

function framed(
  { name, label, hint, errors = [], isRequired, index = 0 }: Field,
  control: (attributes: Html) => Html,
): Html {
  const first = fieldId(name);
  const id = index === 0 ? first : `${first}-${index + 1}`;
  const wrong = errors.filter(({ field }) => fieldId(field) === first || fieldId(field).startsWith(`${first}-`));
  const described = [hint && `${id}-hint`, wrong.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  const attributes = html` id="${id}" name="${name}"${isRequired === true && html` required`}${wrong.length > 0 && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`;
  return html`<div class="field"><label for="${id}">${label}</label>${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${control(attributes)}
${wrong.length > 0 && html`<p class="field-error" id="${id}-error">${wrong.map(({ message }) => message).join('; ')}</p>`}</div>`;
}
