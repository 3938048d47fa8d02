import type { AuditEntry } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { breakable, type Naming, plural, shortId } from '../ui/text.ts';

/** So many fields are shown at once; more are opened by a click. */
const shownFields = 3;

/** The fields that changed, before and after beside each other, as the API shows them: secrets are masked. What there was not is left out. */
export function change({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Html {
  const sides = Object.entries({ before, after }).flatMap(([name, of]) => (of === null ? [] : [{ name, of }]));
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

/** Resources that are never deleted, by the beginning of their ids: their pages, and their name. */
const lasting: Readonly<Record<string, readonly [section: string, word: string]>> = {
  rpl_: ['replays', 'replay'],
  evt_: ['events', 'event'],
  dlv_: ['deliveries', 'delivery'],
};

/** The changed resource: a link to it while it is there, and all of its changes. */
export function resourceLink({ resource_id: id }: Pick<AuditEntry, 'resource_id'>, { t, names }: Naming): Html {
  const url = names.endpoints.names.get(id);
  const name = names.sources.names.get(id);
  const changes = html`<a href="${t}/audit?resource=${encodeURIComponent(id)}" title="All changes of ${id}">${shortId(id)}</a>`;
  if (url !== undefined)
    return html`<span><a href="${t}/endpoints/${id}"><bdi class="url">${breakable(url)}</bdi></a> ${changes}</span>`;
  if (name !== undefined) return html`<span><a href="${t}/sources/${id}"><bdi>${name}</bdi></a> ${changes}</span>`;
  const [section, word] = lasting[id.slice(0, 4)] ?? [];
  if (section === undefined) return changes;
  return html`<span><a href="${t}/${section}/${encodeURIComponent(id)}">${word}</a> ${changes}</span>`;
}

/** A link to all that they changed. */
export function who({ type, id, key_id: key }: AuditEntry['actor'], t: string): Html {
  const all = (actor: string, label: Html | string): Html =>
    html`<a href="${t}/audit?actor=${encodeURIComponent(actor)}">${label}</a>`;
  if (type === 'operator') return all(id, 'the operator’s key');
  if (type === 'key') return html`key ${all(id, shortId(id))}`;
  return html`session ${all(id, shortId(id))} of ${key === 'admin' ? all(key, 'the operator') : html`key ${all(key, shortId(key))}`}`;
}
