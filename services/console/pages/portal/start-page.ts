import { html, type Html } from '#lib/html';
import type { TenantContext } from '../../page.ts';
import { minute } from '../../parts/minute.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { table } from '../../parts/table.ts';
import { type Endpoint, endpointStatus } from '../../routes/endpoints/endpoint.ts';
import { languages } from '../catalog/verify-page.ts';

interface Start {
  endpoints: readonly Endpoint[];
  /** There are more than these. */
  hasMore: boolean;
}

/** Where a customer arrives: their endpoints, what is wrong with them, and how to begin. */
export const customerStart = (context: TenantContext, { endpoints, hasMore }: Start): Html =>
  html`${endpoints.length > 0 && yourEndpoints(context.t, endpoints, hasMore)}
${firstSteps(context, endpoints.length > 0)}`;

const yourEndpoints = (t: string, endpoints: readonly Endpoint[], hasMore: boolean): Html =>
  html`<section class="part"><h2>Your endpoints</h2>${table({
    caption: 'Your endpoints',
    rows: endpoints,
    href: ({ id }) => `${t}/endpoints/${id}`,
    columns: [
      { header: 'URL', cell: ({ url }) => html`<bdi class="url">${url}</bdi>` },
      { header: 'Status', cell: (endpoint) => statusBadge(endpointStatus(endpoint)) },
      { header: 'Since', cell: since },
      {
        header: 'Gets',
        cell: ({ event_types: types }) => html`<bdi>${types.length === 0 ? 'all types' : types.join(', ')}</bdi>`,
      },
    ],
  })}${hasMore && html`<p><a href="${t}/endpoints">All endpoints</a></p>`}</section>`;

const since = ({ disabled_at, paused_at, failing_since, created_at }: Endpoint): Html | string =>
  minute(disabled_at ?? paused_at ?? failing_since ?? created_at);

function firstSteps({ t, can }: TenantContext, hasEndpoint: boolean): Html {
  const mayCreate = can('write', 'endpoints');
  return html`<section class="card first-steps"><h2>How to receive events</h2><ol>
<li><h3>Add an endpoint ${hasEndpoint && statusBadge('completed', 'done')}</h3><p>It is a URL of yours that events are posted to.${!mayCreate && ' Your link does not allow this: ask whoever gave it to you.'}</p>${mayCreate && html`<p><a class="button${hasEndpoint ? '' : ' primary'}" href="${t}/endpoints/new">New endpoint</a></p>`}</li>
<li><h3>Verify the signature</h3><p>Each request is signed with the secret of its endpoint. Copy the code for ${Object.entries(languages).map(([path, { name }], index) => html`${index > 0 && ', '}<a href="${t}/verify/${path}">${name}</a>`)}.</p></li>
<li><h3>Send a test</h3><p>The page of an endpoint sends one, and shows what your server answered.</p></li>
<li><h3>Look at what was sent</h3><p>All <a href="${t}/deliveries">deliveries</a> are here, with their requests and answers.</p></li></ol></section>`;
}
