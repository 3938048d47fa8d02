/** Around the pages of the portal. It names nobody: it is part of the pages of whoever gave the link. */
import { html, type Html } from '#lib/html';
import { portalSections } from '../../sections.ts';
import type { Shell } from '../shell.ts';

export const portalBase = (base: string): string => `${base}/portal`;

export const portalHeader = ({ base, session }: Shell): Html =>
  html`<header class="top${session?.portal?.accent != null && ' top-accent'}">
<a class="brand" href="${portalBase(base)}"><span>Webhooks</span></a>
<span class="search"></span>
${
  session?.portal &&
  html`${wayBack(session.portal.returnUrl)}<form method="post" action="${portalBase(base)}/session/end"><button class="quiet">Leave</button></form>`
}
</header>`;

/** To the pages that the customer came from. */
export const wayBack = (returnUrl: string | null): Html | null =>
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
