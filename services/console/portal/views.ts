import type { Page } from '#client';
import type { Endpoint } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { languages } from '../catalog/index.ts';
import { endpointStatus } from '../endpoints/index.ts';
import type { PageContent, TitledContent } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { portalSections } from '../sections.ts';
import { table } from '../ui/lists.ts';
import { portalBase, type Shell } from '../ui/shell.ts';
import { statusBadge } from '../ui/status.ts';
import { minute } from '../ui/times.ts';

/** The colour that a portal link gives to the header and the buttons; their text is white. */
export const accentPath = (accent: string): string => `/portal/accent/${accent.slice(1)}.css`;

/** @param digits of `#rrggbb` */
export const accentRules = (digits: string): string => `:root { --accent-strong: #${digits}; }\n`;

/** Around the pages of the portal. It names nobody: it is part of the pages of whoever gave the link. */

export const portalHeader = ({ base, session }: Shell): Html =>
  html`<header class="top${session?.portal?.accent != null && ' top-accent'}">
<a class="brand" href="${portalBase(base)}"><span>Webhooks</span></a>
<span class="search"></span>
${
  session?.portal &&
  html`${wayBack(session.portal.return_url)}<form method="post" action="${portalBase(base)}/session/end"><button class="quiet">Leave</button></form>`
}
</header>`;

/** To the pages that the customer came from. */
const wayBack = (returnUrl: string | null): Html | null =>
  returnUrl === null
    ? null
    : html`<a class="way-back" href="${returnUrl}" target="_top">Back to <bdi>${new URL(returnUrl).host}</bdi></a>`;

export function portalNavigation({ base, session, section: current }: Shell): Html | null {
  if (session === undefined) return null;
  const entries = Object.entries(portalSections).map(
    ([name, { label, path }]) =>
      html`<li><a href="${portalBase(base)}${path}"${name === current ? html` aria-current="page"` : null}>${label}</a></li>`,
  );
  return html`<nav class="sections" aria-label="Sections"><ul>${entries}</ul></nav>`;
}

/** The answer to every page of the portal without a session, at the page's own address. */
export const endedPage = (returnUrl: string | null): TitledContent => ({
  title: 'You are not signed in here',
  body: html`<div class="problem"><p class="lead">Your time here is over, or you have not opened your link yet. A link opens these pages once: get another one where you got the first.</p>
${returnUrl !== null && html`<p>${wayBack(returnUrl)}</p>`}</div>`,
});

/** Opening the link shows this button; only the click redeems it. Scanners of mail and previews of chats do not use it up. */
export const linkPage = (action: string): PageContent => ({
  title: 'Your webhooks',
  body: html`<form class="card stack sign-in" method="post" action="${action}"><p class="lead">This link opens the pages of your webhooks, once.</p>
<button class="primary">Continue</button></form>`,
});

/** Within another page, in a browser that keeps no cookies there. The link was not redeemed. */
export const notKept = (href: string): PageContent => ({
  title: 'Open it in a window of its own',
  body: html`<div class="problem"><p class="lead">Your browser keeps no cookies for what is shown within another page, and without one you can’t be signed in here. Your link was not used.</p>
<p><a class="button primary" href="${href}" target="_blank" rel="noopener">Open in a new window</a></p></div>`,
});

/** Where a customer arrives: their endpoints, what is wrong with them, and how to begin. */
export const customerStart = (context: TenantContext, { items, next }: Pick<Page<Endpoint>, 'items' | 'next'>): Html =>
  html`${items.length > 0 && yourEndpoints(context.t, items, next !== undefined)}
${firstSteps(context, items.length > 0)}`;

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
