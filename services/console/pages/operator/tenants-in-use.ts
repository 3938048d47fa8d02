import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { plural } from '../../parts/words.ts';
import { tenantBase } from '../shell.ts';

/** Where to look, from the page of a tenant in which there is nothing. */
export function tenantsInUse(base: string, tenants: readonly Tenant[]): Html | null {
  if (tenants.length === 0) return null;
  return html`<section class="card"><h2>This tenant is empty</h2><p>Other tenants are in use:</p>
<ul class="links">${tenants.map(
    ({ id, counts }) =>
      html`<li><a href="${tenantBase(base, id)}/events">${id}</a> <span class="muted">${plural(counts.sources, 'source')}, ${plural(counts.endpoints, 'endpoint')}</span></li>`,
  )}</ul>
<p><a href="${base}/tenants">All tenants</a></p></section>`;
}
