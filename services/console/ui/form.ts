import type { Endpoint } from '#lib/api-contract';
import { type Html, html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { time } from './times.ts';

/** All errors of a form, each with a link to its field. It is focused when the page opens, so that it is read first. */
export const errorSummary = (errors: readonly FieldError[]): Html | null =>
  errors.length === 0
    ? null
    : html`<div class="error-summary" role="alert" tabindex="-1" autofocus><h2>${errors.length === 1 ? 'One thing is' : `${errors.length} things are`} wrong</h2>
<ul>${errors.map(({ field, message }) => html`<li>${field === '' ? null : html`<a href="#${fieldId(field)}">${labelOf(field)}</a> `}${message}</li>`)}</ul></div>`;

/** `/retry/max_attempts` as `retry, max attempts`. */
const labelOf = (field: string): string => field.replace(/^\//, '').replaceAll('/', ', ').replaceAll('_', ' ');

/** The fields of forms. Errors are found by the field's name, which is that of the API: `url` is wrong where the API names `/url`. */

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

/** One of several choices. */
export interface Option {
  value: string;
  label: string;
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

export const selectField = ({ options, ...field }: Field & { options: readonly Option[] }): Html =>
  framed(
    field,
    (attributes) =>
      html`<select${attributes}>${options.map(({ value, label }) => html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>`)}</select>`,
  );

export const checkbox = ({ name, label, isChecked }: Pick<Field, 'name' | 'label'> & { isChecked: boolean }): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="1"${isChecked && html` checked`}> ${label}</label>`;

function framed(field: Field, control: (attributes: Html) => Html): Html {
  const { name, label, isRequired, index = 0 } = field;
  const id = index === 0 ? fieldId(name) : `${fieldId(name)}-${index + 1}`;
  const { hint, error, describedBy } = descriptionOf(id, field);
  const attributes = html` id="${id}" name="${name}"${isRequired === true && html` required`}${error && html` aria-invalid="true"`}${describedBy}`;
  return html`<div class="field"><label for="${id}">${label}</label>${hint}
${control(attributes)}
${error}</div>`;
}

/** The hint of a field, the errors of it and of what is within it, and the attribute that names both. */
function descriptionOf(id: string, { name, hint, errors = [] }: Pick<Field, 'name' | 'hint' | 'errors'>) {
  const first = fieldId(name);
  const wrong = errors.filter(({ field }) => fieldId(field) === first || fieldId(field).startsWith(`${first}-`));
  const ids = [hint && `${id}-hint`, wrong.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  return {
    hint: hint && html`<p class="hint" id="${id}-hint">${hint}</p>`,
    error:
      wrong.length > 0 &&
      html`<p class="field-error" id="${id}-error">${wrong.map(({ message }) => message).join('; ')}</p>`,
    describedBy: ids !== '' && html` aria-describedby="${ids}"`,
  };
}

/** Its name is the field of each that is chosen. */
interface CheckGroup extends Pick<Field, 'name' | 'label' | 'hint' | 'errors'> {
  options: readonly Option[];
  chosen: readonly string[];
}

/** Several of some choices. An error of any of them is told for the group. */
export function checkGroup({ options, chosen, ...group }: CheckGroup): Html {
  const { name, label } = group;
  const id = fieldId(name);
  const { hint, error, describedBy } = descriptionOf(id, group);
  return html`<fieldset class="check-group" id="${id}"${describedBy}><legend>${label}</legend>
${hint}
${options.map((option) => html`<label class="check"><input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}> <bdi>${option.label}</bdi></label>`)}
${error}</fieldset>`;
}

/** The source of keys: the context of a page. */
interface KeySource {
  newKey(): string;
}

/** A text that is no number goes to the API as it is, which says so. */
export const numberIn = <Text extends string | null>(text: Text): number | Text =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;

/** The name of the field with the form's Idempotency-Key. */
export const keyField = 'idempotency_key';

export const hiddenKey = ({ newKey }: KeySource): Html =>
  html`<input type="hidden" name="${keyField}" value="${newKey()}">`;

interface Form {
  action: string;
  /** The text of the button. */
  submit: string;
  /** Fields between. */
  body?: Html;
  /** Fields that are not shown. */
  hidden?: Readonly<Record<string, string | undefined>>;
  /** `danger`: cannot be undone. `quiet`: one of many. */
  tone?: 'primary' | 'danger' | 'quiet' | 'plain';
  /** A button in a row of buttons, not a form of fields. */
  isInline?: boolean;
}

/**
 * A form that changes something. Its key is made when the page is: sent twice, by a double click or a reload, it has its effect once. After a
 * refusal the page is made again, with a new key.
 *
 * @param context the page's
 */
export const postForm = (
  context: KeySource,
  { action, submit, body, hidden = {}, tone = 'primary', isInline = false }: Form,
): Html =>
  html`<form method="post" action="${action}" class="${isInline ? 'inline' : 'stack'}">${hiddenKey(context)}
${Object.entries(hidden).map(([name, value]) => (value === undefined ? null : html`<input type="hidden" name="${name}" value="${value}">`))}
${body}<button class="${tone}">${submit}</button></form>`;

/** The time, and after it a countdown by islands/counts-from.ts. */
export const countsFrom = ({ effective_at: effectiveAt }: Pick<Endpoint, 'effective_at'>): Html =>
  html`${time(effectiveAt)}<span data-counts-from="${effectiveAt}" aria-live="off"></span>`;

/** The preview of a replay, to the endpoint alone, of the events that came since its creation and before it counted. */
export const missedHref = (
  t: string,
  { id, created_at, effective_at }: Pick<Endpoint, 'id' | 'created_at' | 'effective_at'>,
): string =>
  withQuery(`${t}/replays/new`, {
    what: 'events',
    to_endpoint: id,
    received_since: created_at,
    received_until: effective_at,
  });

/** The common part of a form's fields: each shows what was entered for it, and what is wrong with that. */
export const enteredIn =
  (values: URLSearchParams, errors: readonly FieldError[]) =>
  (name: string, otherwise = '') => ({ name, value: values.get(name) ?? otherwise, errors });
