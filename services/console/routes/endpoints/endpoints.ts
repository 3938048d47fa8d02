import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { tenantPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointStatus } from './endpoint.ts';

const filters: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'URL or description', placeholder: 'contains …' },
  { kind: 'choice', name: 'status', label: 'Status', options: ['enabled', 'disabled'] },
  {
    kind: 'choice',
    name: 'failing',
    label: 'Failing',
    options: [
      { value: 'true', label: 'failing' },
      { value: 'false', label: 'not failing' },
    ],
  },
];

/** `T/endpoints`: where events are sent to. */
export const endpoints = tenantPage({
  path: '/endpoints',
  title: 'Endpoints',
  section: 'endpoints',
  get: {
    query: listParameters(filters),
    async answer(context) {
      const { t, api, query, can } = context;
      return listPage<Endpoint>(context, {
        title: 'Endpoints',
        href: `${t}/endpoints`,
        listed: await api.list<Endpoint>(path`/endpoints`, query),
        filters,
        actions: can('write') ? html`<a class="button primary" href="${t}/endpoints/new">New endpoint</a>` : null,
        row: ({ id }) => `${t}/endpoints/${id}`,
        columns: [
          { header: 'URL', cell: ({ url }) => html`<bdi class="url">${url}</bdi>` },
          { header: 'Description', cell: ({ description }) => description || '–' },
          { header: 'Status', cell: (endpoint) => statusBadge(endpointStatus(endpoint)) },
          { header: 'Gets', cell: ({ event_types: types }) => (types.length === 0 ? 'all types' : types.join(', ')) },
          { header: 'Created', cell: ({ created_at: createdAt }) => time(createdAt) },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        empty: {
          title: 'No endpoint yet',
          body: 'An endpoint is a URL that events are sent to. It gets the events accepted from five seconds after its creation on.',
          command: 'hookline endpoints create --url https://example.com/hooks',
        },
      });
    },
  },
});
