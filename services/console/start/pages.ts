import { html, ownPath } from '#lib/html';
import { themeCookie } from '../http/request-state.ts';
import { page, type PageContent, seeOther } from '../page-result.ts';
import { publicPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import type { Session } from '../reader.ts';
import { setCookie } from '../session/index.ts';
import { tenantBase } from '../ui/shell.ts';

/** The first page of who is signed in: where to go on. */
const startPage = (base: string, { tenant }: Session): PageContent => ({
  title: 'Hookline',
  body: html`<p class="lead">You are signed in${tenant === undefined ? ' for all tenants' : null}.</p>
<ul class="links"><li><a href="${tenantBase(base, tenant ?? 'default')}">Overview of <bdi>${tenant ?? 'default'}</bdi></a></li>
${tenant === undefined ? html`<li><a href="${base}/tenants">Tenants</a></li><li><a href="${base}/system">System</a></li>` : null}</ul>`,
});

/** `/`: signing in, or where to go on. */
const start = publicPage({
  path: '/',
  title: 'Hookline',
  get: {
    async answer({ base, findSession }) {
      const found = await findSession();
      switch (found.kind) {
        case 'found':
          return page(startPage(base, found.session));
        case 'failed':
          return problemOfFailure(found.failure);
        case 'none':
          return { kind: 'sign_in', status: 200 };
      }
    },
  },
});

const yearSeconds = 365 * 24 * 3_600;

/** `POST /theme`: the server sets the theme, so that no page flashes in the other one. */
export const theme = publicPage({
  path: '/theme',
  title: 'Theme',
  post: {
    answer({ base, form, isSecure, isEmbeddable: isEmbedded }) {
      const chosen = form.get('theme');
      const isChosen = chosen === 'light' || chosen === 'dark';
      const cookie = setCookie(themeCookie, isChosen ? chosen : '', {
        isSecure,
        isEmbedded,
        maxAgeSeconds: isChosen ? yearSeconds : 0,
      });
      return seeOther(ownPath(form.get('to') ?? undefined, base) ?? `${base}/`, { 'set-cookie': cookie });
    },
  },
});

export const startPages = [start, theme];
