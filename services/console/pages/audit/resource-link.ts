import { html, type Html } from '#lib/html';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import { breakable } from '../../parts/breakable.ts';
import { shortId } from '../../parts/short-id.ts';
import type { AuditEntry } from '../../routes/audit/audit-entry.ts';

/** Resources that are never deleted, by the beginning of their ids: their pages, and their name. */
const lasting: Readonly<Record<string, readonly [section: string, word: string]>> = {
  rpl_: ['replays', 'replay'],
  evt_: ['events', 'event'],
  dlv_: ['deliveries', 'delivery'],
};

interface Naming {
  t: string;
  names: TenantNames;
}

/** The changed resource: a link to it while it is there, and all of its changes. */
export function resourceLink({ resource_id: id }: Pick<AuditEntry, 'resource_id'>, { t, names }: Naming): Html {
  const url = names.endpoints.names.get(id);
  const name = names.sources.names.get(id);
  const changes = html`<a href="${t}/audit?resource=${encodeURIComponent(id)}" title="All changes of ${id}">${shortId(id)}</a>`;
  if (url !== undefined)
    return html`<span><a href="${t}/endpoints/${id}"><bdi class="url">${breakable(url)}</bdi></a> ${changes}</span>`;
  if (name !== undefined) return html`<span><a href="${t}/sources/${id}"><bdi>${name}</bdi></a> ${changes}</span>`;
  const [section, word] = lasting[id.slice(0, 4)] ?? [];
  return section === undefined
    ? changes
    : html`<span><a href="${t}/${section}/${encodeURIComponent(id)}">${word}</a> ${changes}</span>`;
}
