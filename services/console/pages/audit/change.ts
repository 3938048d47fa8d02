import { html, type Html } from '#lib/html';
import { plural } from '../../parts/words.ts';
import type { AuditEntry } from '../../routes/audit/audit-entry.ts';

/** So many fields are shown at once; more are opened by a click. */
const shownFields = 3;

/** The fields that changed, before and after beside each other, as the API shows them: secrets are masked. What there was not is left out. */
export function change({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Html {
  const sides = [
    { name: 'before', of: before },
    { name: 'after', of: after },
  ].flatMap(({ name, of }) => (of === null ? [] : [{ name, of }]));
  const fields = [...new Set(sides.flatMap(({ of }) => Object.keys(of)))];
  if (fields.length === 0) return html`–`;
  const isUpdate = sides.length === 2;
  const title = isUpdate ? fields.join(', ') : plural(fields.length, 'field');
  return html`<details class="change"${isUpdate && fields.length <= shownFields && html` open`}><summary>${title}</summary>
<dl class="sides-${sides.length}"><div aria-hidden="true" class="change-head"><span>field</span>${sides.map(({ name }) => html`<span>${name}</span>`)}</div>
${fields.map((field) => html`<div><dt>${field}</dt>${sides.map(({ name, of }) => html`<dd><span class="visually-hidden">${name}: </span><code>${Object.hasOwn(of, field) ? shown(of[field]) : '–'}</code></dd>`)}</div>`)}</dl></details>`;
}

/** Text as it is; an empty one, and anything else, as JSON. */
const shown = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : (JSON.stringify(value, null, 1) ?? '');
