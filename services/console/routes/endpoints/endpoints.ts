import type { Stats } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { count } from '../../parts/count.ts';
import { textField } from '../../parts/fields.ts';
import { percent } from '../../parts/figure.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { postForm } from '../../parts/form.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import type { Column } from '../../parts/table.ts';
import { minute } from '../../parts/minute.ts';
import { plural } from '../../parts/words.ts';
import { totalsByKey } from '../overview/stats.ts';
import { type Endpoint, type EndpointHealth, endpointStatus } from './endpoint.ts';
import { readAttemptStats } from './read-endpoint.ts';

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

/** `T/endpoints`: where events are sent to, and how each does. */
export const endpoints = tenantPage({
  path: '/endpoints',
  title: 'Endpoints',
  section: 'endpoints',
  get: {
    capability: 'view',
    query: listParameters(filters),
    async answer(context) {
      const { t, tenant, api, query, can, isCustomer } = context;
      const [listed, stats] = await Promise.all([
        api.list<Endpoint>(path`/endpoints`, query),
        isCustomer ? undefined : readAttemptStats(api),
      ]);
      const mayCreate = can('write', 'endpoints');
      const health = await healthOfFailing(api, listed.ok ? listed.items : []);
      return listPage<Endpoint>(context, {
        title: 'Endpoints',
        href: `${t}/endpoints`,
        listed,
        filters,
        actions: mayCreate ? html`<a class="button primary" href="${t}/endpoints/new">New endpoint</a>` : null,
        row: ({ id }) => `${t}/endpoints/${id}`,
        columns: columnsOf(stats, health),
        empty: {
          title: 'No endpoint yet',
          body: 'An endpoint is a URL that events are sent to. It receives events accepted two seconds or more after its creation.',
          ...(!isCustomer && { command: cliCommand('endpoints create --url https://example.com/hooks', tenant) }),
          ...(mayCreate && { actions: firstForm(context) }),
        },
      });
    },
  },
});

/** Each costs the API several queries: of the rows that need somebody, the first ones alone are asked for. */
const mostAsked = 10;

async function healthOfFailing(
  api: ReadApi,
  listed: readonly Endpoint[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const failing = listed.filter((one) => endpointStatus(one) === 'failing').slice(0, mostAsked);
  const asked = await Promise.all(
    failing.map(async ({ id }) => [id, await api.ask<EndpointHealth>(path`/endpoints/${id}/health`)] as const),
  );
  return new Map(asked.flatMap(([id, health]) => (health.ok ? [[id, health.value]] : [])));
}

type Totals = { delivered: number; failed: number };

function columnsOf(stats: Stats | undefined, health: ReadonlyMap<string, EndpointHealth>): readonly Column<Endpoint>[] {
  const totals = stats === undefined ? undefined : totalsByKey(stats);
  return [
    {
      header: 'URL',
      cell: ({ url, description }) =>
        html`<bdi class="url">${url}</bdi>${description !== '' && html`<br><bdi class="muted">${description}</bdi>`}`,
    },
    {
      header: 'Status',
      cell: (endpoint) => html`${statusBadge(endpointStatus(endpoint))}${since(endpoint, health.get(endpoint.id))}`,
    },
    ...(totals === undefined
      ? []
      : [{ header: 'Delivered, 24 h', cell: ({ id }: Endpoint) => delivered(totals.get(id)) }]),
    {
      header: 'Gets',
      cell: ({ event_types: types }) => html`<bdi>${types.length === 0 ? 'all types' : types.join(', ')}</bdi>`,
    },
  ];
}

/** Since when it is so, and what that means by now. */
function since(
  { disabled_at: disabledAt, paused_until: pausedUntil, failing_since: failingSince }: Endpoint,
  health: EndpointHealth | undefined,
): Html {
  if (disabledAt !== null) return html` <span class="muted">since ${minute(disabledAt)}</span>`;
  if (pausedUntil !== null) return html` <span class="muted">until ${minute(pausedUntil)}</span>`;
  if (failingSince === null) return html``;
  const waiting = (health?.waiting.retrying ?? 0) + (health?.waiting.parked ?? 0);
  return html` <span class="muted">since ${minute(failingSince)}${waiting > 0 && html`<br>${count(waiting, health?.waiting.is_capped)} wait`}${health?.breaker?.state === 'open' && html`<br>breaker open`}</span>`;
}

/** Attempts that were taken, of all. */
function delivered(given: Totals | undefined): Html {
  const { delivered: good = 0, failed = 0 } = given ?? {};
  const attempts = good + failed;
  return attempts === 0
    ? html`<span class="muted">nothing sent</span>`
    : html`${percent(good, attempts)} <span class="muted">of ${plural(attempts, 'attempt')}</span>`;
}

const firstForm = (context: TenantContext): Html =>
  postForm(context, {
    action: `${context.t}/endpoints/new`,
    submit: 'Create endpoint',
    body: textField({
      name: 'url',
      label: 'URL',
      type: 'url',
      hint: 'Such as https://example.com/hooks. All its settings can be changed later.',
      isRequired: true,
    }),
  });
