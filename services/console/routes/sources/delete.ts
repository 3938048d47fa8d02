import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { page, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Source } from './source.ts';

/** `T/sources/:id/delete`: asks, then deletes. */
export const deleteSource = tenantPage({
  path: '/sources/:id/delete',
  title: 'Delete a source',
  section: 'sources',
  get: {
    scope: 'write',
    async answer(context) {
      const { api, params, t } = context;
      const { id, name, ingest_url: url } = await api.get<Source>(path`/sources/${params.id}`);
      const href = `${t}/sources/${id}`;
      return page({
        title: 'Delete the source?',
        subtitle: html`<bdi>${name}</bdi>`,
        crumbs: [
          { label: 'Sources', href: `${t}/sources` },
          { label: name, href },
        ],
        body: html`<p class="lead">Requests to <code>${url}</code> get a 410 from then on. The source’s events stay. The source can’t be restored.</p>
<div class="buttons">${postForm(context, { action: `${href}/delete`, submit: 'Delete the source', tone: 'danger', isInline: true })}<a class="button" href="${href}">Keep it</a></div>`,
      });
    },
  },
  post: {
    async answer({ api, params, t }) {
      const deleted = await api.send('DELETE', path`/sources/${params.id}`);
      // Sent twice, it is deleted already.
      const isGone = !deleted.ok && deleted.failure.kind === 'problem' && deleted.failure.status === 410;
      return deleted.ok || isGone ? seeOther(`${t}/sources`) : problemOfFailure(deleted.failure);
    },
  },
});
