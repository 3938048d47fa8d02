import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { fieldId } from './fields.ts';

/** All errors of a form, each with a link to its field. It is focused when the page opens, so that it is read first. */
export const errorSummary = (errors: readonly FieldError[]): Html | null =>
  errors.length === 0
    ? null
    : html`<div class="error-summary" role="alert" tabindex="-1" autofocus><h2>${errors.length === 1 ? 'One thing is' : `${errors.length} things are`} wrong</h2>
<ul>${errors.map(({ field, message }) => html`<li>${field === '' ? null : html`<a href="#${fieldId(field)}">${labelOf(field)}</a> `}${message}</li>`)}</ul></div>`;

/** `/retry/max_attempts` as `retry, max attempts`. */
const labelOf = (field: string): string => field.replace(/^\//, '').replaceAll('/', ', ').replaceAll('_', ' ');
