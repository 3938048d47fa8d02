import { html, type Html } from '#lib/html';
import { tenantPage } from '../../page.ts';
import { howToCreateKeys } from '../../pages/keys/how-to-create-keys.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { minute } from '../../parts/minute.ts';
import { shortId } from '../../parts/short-id.ts';
import type { ApiKey } from './api-key.ts';

/** `T/keys`: the keys that are not revoked. */
export const keys = tenantPage({
  path: '/keys',
  title: 'API keys',
  section: 'keys',
  get: {
    scope: 'admin',
    query: listParameters([]),
    async answer(context) {
      const { t, tenant, api, query } = context;
      const { title, text, command } = howToCreateKeys(tenant);
      const listed = await api.list<ApiKey>('/api-keys', query);
      const isAny = listed.ok && listed.items.length > 0;
      return listPage<ApiKey>(context, {
        title: 'API keys',
        href: `${t}/keys`,
        listed,
        above: isAny ? html`<div class="part"><p class="muted">${text}</p>${codeBlock(command)}</div>` : null,
        row: ({ id }) => `${t}/keys/${id}`,
        columns: [
          { header: 'Name', cell: ({ name }) => html`<bdi>${name === '' ? 'without a name' : name}</bdi>` },
          { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { header: 'Created', cell: ({ created_at: createdAt }) => minute(createdAt) },
          { header: 'Last used', cell: lastUsed },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        empty: { title, body: text, command },
      });
    },
  },
});

export const lastUsed = ({ last_used_at: at }: ApiKey): Html => (at === null ? html`never` : minute(at));
