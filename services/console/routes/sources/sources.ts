import { html } from '#lib/html';
import { tenantPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { schemeSetups } from '../../pages/sources/scheme-setup.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { shortId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import type { Source } from './source.ts';

const filters: readonly Filter[] = [{ kind: 'text', name: 'q', label: 'Name', placeholder: 'contains …' }];

/** `T/sources`: where webhooks come from. */
export const sources = tenantPage({
  path: '/sources',
  title: 'Sources',
  section: 'sources',
  get: {
    query: listParameters(filters),
    async answer(context) {
      const { t, tenant, api, query, can } = context;
      return listPage<Source>(context, {
        title: 'Sources',
        href: `${t}/sources`,
        listed: await api.list<Source>('/sources', query),
        filters,
        actions: can('write') ? html`<a class="button primary" href="${t}/sources/new">New source</a>` : null,
        row: ({ id }) => `${t}/sources/${id}`,
        columns: [
          { header: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
          { header: 'Provider', cell: ({ scheme }) => schemeSetups[scheme].provider },
          { header: 'Scheme', cell: ({ scheme }) => html`<code>${scheme}</code>` },
          { header: 'Created', cell: ({ created_at: createdAt }) => time(createdAt) },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        empty: {
          title: 'No source yet',
          body: 'A source is a URL that a provider sends its webhooks to. It verifies their signatures, and makes an event of each.',
          command: cliCommand('sources create --name "Stripe live" --scheme stripe', tenant),
        },
      });
    },
  },
});
