import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { page } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { definitions } from '../../parts/definitions.ts';
import { wholeId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import type { ApiKey } from './api-key.ts';
import { lastUsed } from './keys.ts';

/** `T/keys/:id` */
export const key = tenantPage({
  path: '/keys/:id',
  title: 'API key',
  section: 'keys',
  get: {
    scope: 'admin',
    async answer({ t, api, params }) {
      const found = await api.get<ApiKey>(path`/api-keys/${params.id}`);
      const { id, name, scopes, rate_limit: rate, created_at: createdAt } = found;
      return page({
        title: name === '' ? 'API key' : name,
        subtitle: wholeId(id),
        crumbs: [{ label: 'API keys', href: `${t}/keys` }],
        actions: html`<a class="button danger" href="${t}/keys/${id}/revoke">Revoke …</a>`,
        body: html`<section class="card">${definitions([
          ['Scopes', scopes.join(', ')],
          [
            'Rate limit',
            rate === null ? 'the default' : `${rate.per_second} requests per second, bursts of ${rate.burst}`,
          ],
          ['Created', time(createdAt)],
          ['Last used, to the minute', lastUsed(found)],
        ])}<p><a href="${t}/audit?actor=${id}">What it and its sessions changed</a> · <a href="${t}/sessions">Sessions</a></p></section>`,
      });
    },
  },
});
