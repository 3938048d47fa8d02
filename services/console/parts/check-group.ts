import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { fieldId } from './fields.ts';

interface CheckGroup {
  /** The field of each that is chosen. */
  name: string;
  label: string;
  hint?: string;
  options: readonly { value: string; label: string }[];
  chosen: readonly string[];
  errors?: readonly FieldError[];
}

/** Several of some choices. An error of any of them is told for the group. */
export function checkGroup({ name, label, hint, options, chosen, errors = [] }: CheckGroup): Html {
  const id = fieldId(name);
  const wrong = errors.filter(({ field }) => fieldId(field) === id || fieldId(field).startsWith(`${id}-`));
  const described = [hint && `${id}-hint`, wrong.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  return html`<fieldset class="check-group" id="${id}"${described !== '' && html` aria-describedby="${described}"`}><legend>${label}</legend>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${options.map((option) => html`<label class="check"><input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}> <bdi>${option.label}</bdi></label>`)}
${wrong.length > 0 && html`<p class="field-error" id="${id}-error">${wrong.map(({ message }) => message).join('; ')}</p>`}</fieldset>`;
}
