import { html } from '#lib/html';
import type { PageContent } from '../page-result.ts';
import type { Session } from '../session/session.ts';
import { tenantBase } from './shell.ts';

/** The first page of who is signed in: where to go on. */
export const startPage = (base: string, { tenant }: Session): PageContent => ({
  title: 'Hookline',
  body: html`<p class="lead">You are signed in${tenant === undefined ? ' for all tenants' : null}.</p>
<ul class="links"><li><a href="${tenantBase(base, tenant ?? 'default')}">Overview of <bdi>${tenant ?? 'default'}</bdi></a></li>
${tenant === undefined ? html`<li><a href="${base}/tenants">Tenants</a></li><li><a href="${base}/system">System</a></li>` : null}</ul>`,
});
