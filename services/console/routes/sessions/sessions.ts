import { html } from '#lib/html';
import { operatorPage, tenantPage } from '../../page.ts';
import { listParameters } from '../../pages/list-page.ts';
import { sessionsPage } from '../../pages/sessions-page.ts';
import type { SessionRow } from './session-row.ts';

/** `T/sessions`: those that have not ended. */
export const sessions = tenantPage({
  path: '/sessions',
  title: 'Sessions',
  section: 'sessions',
  get: {
    scope: 'admin',
    query: listParameters([]),
    async answer(context) {
      const { t, tenant, base, api, query, session } = context;
      return sessionsPage({
        ...{ context, tenant },
        href: `${t}/sessions`,
        listed: await api.list<SessionRow>('/sessions', query),
        keyHref: (id) => `${t}/keys/${id}`,
        above: html`<p class="muted">A session ends by itself, with its key, or here, within two seconds.${session.tenant === undefined && html` Yours is for all tenants: it is among <a href="${base}/sessions">the operator’s</a>.`}</p>`,
      });
    },
  },
});

/** `/sessions`: those of the operator for all tenants. */
export const operatorSessions = operatorPage({
  path: '/sessions',
  title: 'Sessions',
  section: 'tenants',
  get: {
    query: listParameters([]),
    async answer(context) {
      const { base, api, query } = context;
      return sessionsPage({
        context,
        href: `${base}/sessions`,
        listed: await api.list<SessionRow>('/sessions', query),
        above: html`<p class="muted">Sessions of the operator’s key, which see all tenants. Those of a single tenant are among its own.</p>`,
      });
    },
  },
});
