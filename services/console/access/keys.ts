import type { ApiKey } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import { page, seeOther } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { cliCommand, codeBlock, definitions, shortId, wholeId } from '../ui/text.ts';
import { minute, time } from '../ui/times.ts';

/** The console has a session, and a session makes no keys: the rule of the API. */
const howToCreateKeys =
  'A session can’t make API keys. Make one with the operator’s key, or with a key that has the scope admin; it is shown once:';

/** `T/keys`: the keys that are not revoked. */
const keys = tenantPage({
  path: '/keys',
  title: 'API keys',
  section: 'keys',
  get: {
    scope: 'admin',
    query: listParameters([]),
    async answer(context) {
      const { t, tenant, api, query } = context;
      const command = cliCommand('api-keys create --name shop --scope publish', tenant);
      const listed = await api.list('GET /v1/api-keys', { query });
      const isAny = listed.ok && listed.items.length > 0;
      return listPage<ApiKey>(context, {
        title: 'API keys',
        href: `${t}/keys`,
        listed,
        above: isAny
          ? html`<div class="part"><p class="muted">${howToCreateKeys}</p>${codeBlock(command)}</div>`
          : null,
        row: ({ id }) => `${t}/keys/${id}`,
        columns: [
          { header: 'Name', cell: ({ name }) => html`<bdi>${name === '' ? 'without a name' : name}</bdi>` },
          { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { header: 'Created', cell: ({ created_at: createdAt }) => minute(createdAt) },
          { header: 'Last used', cell: lastUsed },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        empty: { title: 'No API key yet', body: howToCreateKeys, command },
      });
    },
  },
});

const lastUsed = ({ last_used_at: at }: ApiKey): Html => (at === null ? html`never` : minute(at));

/** `T/keys/:id` */
const key = tenantPage({
  path: '/keys/:id',
  title: 'API key',
  section: 'keys',
  get: {
    scope: 'admin',
    async answer({ t, api, params }) {
      const found = await api.call('GET /v1/api-keys/:id', { params });
      const { id, name, scopes, rate_limit: rate, created_at: createdAt } = found;
      return page({
        title: name === '' ? 'API key' : name,
        subtitle: wholeId(id),
        crumbs: [{ label: 'API keys', href: `${t}/keys` }],
        actions: html`<a class="button danger" href="${t}/keys/${id}/revoke">Revoke …</a>`,
        body: html`<section class="card">${definitions([
          ['Scopes', scopes.join(', ')],
          ['Rate limit', `${rate.per_second} requests per second, bursts of ${rate.burst}`],
          ['Created', time(createdAt)],
          ['Last used, to the minute', lastUsed(found)],
        ])}<p><a href="${t}/audit?actor=${id}">What it and its sessions changed</a> · <a href="${t}/sessions">Sessions</a></p></section>`,
      });
    },
  },
});

/** `T/keys/:id/revoke`: asks first, and revokes. */
const revokeKey = tenantPage({
  path: '/keys/:id/revoke',
  title: 'Revoke an API key',
  section: 'keys',
  get: {
    scope: 'admin',
    async answer(context) {
      const { t, api, params } = context;
      const [{ id, name, last_used_at: usedAt }, me] = await Promise.all([
        api.call('GET /v1/api-keys/:id', { params }),
        api.call('GET /v1/me'),
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
      const revoked = await api.change('DELETE /v1/api-keys/:id', { params });
      return revoked.ok || isGone(revoked.failure) ? seeOther(`${t}/keys`) : problemOfFailure(revoked.failure);
    },
  },
});

/** `T/keys`, and what is below it. */
export const keyPages = [keys, key, revokeKey];
