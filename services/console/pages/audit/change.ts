import { html, type Html } from '#lib/html';
import { plural } from '../../parts/words.ts';
import type { AuditEntry } from '../../routes/audit/audit-entry.ts';

/** So many fields are shown at once; more are opened by a click. */
const shownFields = 3;

/** The fields that changed, before and after beside each other, as the API shows them: secrets are masked. */
export function change({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Html {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return html`–`;
  const isUpdate = before !== null && after !== null;
  const title = isUpdate ? fields.join(', ') : plural(fields.length, 'field');
  return html`<details class="change"${isUpdate && fields.length <= shownFields && html` open`}><summary>${title}</summary>
<dl><div aria-hidden="true" class="change-head"><span>field</span><span>before</span><span>after</span></div>
${fields.map((field) => html`<div><dt>${field}</dt>${side('before', before, field)}${side('after', after, field)}</div>`)}</dl></details>`;
}

const side = (which: 'before' | 'after', of: AuditEntry['before'], field: string): Html =>
  html`<dd><span class="visually-hidden">${which}: </span><code>${of !== null && Object.hasOwn(of, field) ? shown(of[field]) : '–'}</code></dd>`;

/** Text as it is; an empty one, and anything else, as JSON. */
const shown = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : (JSON.stringify(value, null, 1) ?? '');
