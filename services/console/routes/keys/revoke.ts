import { html } from '#lib/html';
import { isGone } from '../../api-calls/is-gone.ts';
import { path } from '../../api-calls/paths.ts';
import { page, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { postForm } from '../../parts/form.ts';
import { minute } from '../../parts/minute.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Me } from '../../session/find-session.ts';
import type { ApiKey } from './api-key.ts';

/** `T/keys/:id/revoke`: asks first, and revokes. */
export const revokeKey = tenantPage({
  path: '/keys/:id/revoke',
  title: 'Revoke an API key',
  section: 'keys',
  get: {
    scope: 'admin',
    async answer(context) {
      const { t, api, params } = context;
      const [{ id, name, last_used_at: usedAt }, me] = await Promise.all([
        api.get<ApiKey>(path`/api-keys/${params.id}`),
        api.get<Me & { credential: { key_id?: string } }>('/me'),
      ]);
      const isOwn = me.credential.key_id === id;
      return page({
        title: `Revoke ${name === '' ? 'the API key' : name}?`,
        crumbs: [
          { label: 'API keys', href: `${t}/keys` },
          { label: name === '' ? id : name, href: `${t}/keys/${id}` },
        ],
        body: html`<section class="card"><p>Within two seconds, every request with this key is answered 401, and its sessions end. It can’t be undone.</p>
<p>${usedAt === null ? 'It was never used.' : html`It was last used at ${minute(usedAt)}.`}</p>
${isOwn && html`<p class="note note-warn">Your session was made from this key: you will be signed out.</p>`}
${postForm(context, { action: `${t}/keys/${id}/revoke`, submit: 'Revoke the key', tone: 'danger' })}
<p><a href="${t}/keys/${id}">Keep it</a></p></section>`,
      });
    },
  },
  post: {
    scope: 'admin',
    async answer({ t, api, params }) {
      const revoked = await api.send('DELETE', path`/api-keys/${params.id}`);
      return revoked.ok || isGone(revoked.failure) ? seeOther(`${t}/keys`) : problemOfFailure(revoked.failure);
    },
  },
});
