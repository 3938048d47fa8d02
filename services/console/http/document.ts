import { html, type Html } from '#lib/html';
import { catalogHeader, catalogNavigation } from '../catalog/index.ts';
import type { TitledContent } from '../page-result.ts';
import type { Face } from '../page.ts';
import { accentPath, portalHeader, portalNavigation } from '../portal/index.ts';
import { hasScope, type Session } from '../reader.ts';
import { type NamedSection, operatorSections, tenantSections } from '../sections.ts';
import { brandMark, type Shell, tenantBase, type Theme } from '../ui/shell.ts';

/** On every page. */
const everywhere = 'everywhere';

/**
 * The document around every page. It depends on the session and the page alone: two pages of the same status look the same.
 *
 * @param content its title is there
 */
export function renderDocument(shell: Shell, content: TitledContent): string {
  const { base, face, assets, tenant, theme } = shell;
  const { title, body, islands = [] } = content;
  const around = frames[face];
  const isFramed = shell.frame.length > 0;
  const scripts = [everywhere, ...islands, ...(isFramed ? ['frame-height'] : [])].map(
    (name) => html`<script type="module" src="${base}${assets.path(`${name}.js`)}"></script>`,
  );
  const wholeTitle = [title, ...(tenant === undefined ? [] : [tenant]), around.product];
  return html`<!doctype html>
<html lang="en"${theme && html` data-theme="${theme}"`}${isFramed && html` data-framed`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${robots(shell, content)}
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${wholeTitle.filter((part, index) => part !== wholeTitle[index - 1]).join(' · ')}</title>
<link rel="icon" type="image/svg+xml" href="${base}${assets.path('icon.svg')}">
<link rel="stylesheet" href="${base}${assets.path('console.css')}">${accentSheet(shell)}
${scripts}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${around.header(shell)}
<div class="frame${shell.session === undefined && face !== 'catalog' ? ' frame-alone' : ''}">
${around.navigation(shell)}
<main id="main" tabindex="-1">
${crumbs(content)}
<div class="page-head">
<div><h1>${content.heading ?? title}</h1>${content.subtitle && html`<p class="subtitle">${content.subtitle}</p>`}</div>
${content.actions && html`<div class="actions">${content.actions}</div>`}
</div>
${body}
</main>
</div>
${footer(shell)}${isFramed && html`<frame-height data-origins="${shell.frame.join(' ')}"></frame-height>`}
</body>
</html>
`.toString();
}

/** The frame of each face's pages. */
const frames: Readonly<
  Record<Face, { product: string; header(shell: Shell): Html; navigation(shell: Shell): Html | null }>
> = {
  console: { product: 'Hookline', header, navigation },
  catalog: { product: 'Hookline', header: catalogHeader, navigation: catalogNavigation },
  portal: { product: 'Webhooks', header: portalHeader, navigation: portalNavigation },
};

/** A file of its own: no page has a style within it. */
const accentSheet = ({ base, session }: Shell): Html | null => {
  const accent = session?.portal?.accent ?? null;
  return accent === null ? null : html`<link rel="stylesheet" href="${base}${accentPath(accent)}">`;
};

const robots = ({ base, origin }: Shell, { indexing }: TitledContent): Html =>
  html`${indexing?.isIndexed === true ? null : html`<meta name="robots" content="noindex">`}${indexing && html`<link rel="canonical" href="${origin}${base}${indexing.canonical}">`}`;

function header({ base, session, tenant }: Shell): Html {
  const t = session !== undefined && tenant !== undefined ? tenantBase(base, tenant) : undefined;
  return html`<header class="top">
<a class="brand" href="${t ?? `${base}/`}">${brandMark}<span>Hookline</span></a>
${
  session &&
  html`${tenantChip(base, session, tenant)}
${t === undefined ? html`<span class="search"></span>` : searchBox(t)}
<form method="post" action="${base}/session/end"><button class="quiet">Sign out</button></form>`
}
</header>`;
}

const tenantChip = (base: string, { tenant: own }: Session, shown = 'all tenants'): Html =>
  own === undefined
    ? html`<a class="tenant" href="${base}/tenants"><span class="tenant-word">tenant</span> <bdi>${shown}</bdi><span class="visually-hidden">, choose another one</span></a>`
    : html`<span class="tenant"><span class="tenant-word">tenant</span> <bdi>${shown}</bdi></span>`;

/** One box for an id of any kind, a type, a tag. */
const searchBox = (t: string): Html =>
  html`<form class="search" role="search" action="${t}/jump"><label class="visually-hidden" for="q">Search by id, type or tag</label><input id="q" type="search" name="q" placeholder="Search any id, type, tag …" autocomplete="off" spellcheck="false" maxlength="200"><kbd aria-hidden="true">/</kbd></form>`;

function navigation({ base, session, tenant, section: current }: Shell): Html | null {
  if (session === undefined) return null;
  const entries = (sections: readonly NamedSection[], at: string): Html =>
    html`<ul>${sections.map(({ name, label, path }) => html`<li><a href="${at}${path}"${name === current && html` aria-current="page"`}>${label}</a></li>`)}</ul>`;
  return html`<nav class="sections" aria-label="Sections">
${tenant !== undefined && entries(tenantSections(session), tenantBase(base, tenant))}
${hasScope(session, 'operator') && entries(operatorSections, base)}
</nav>`;
}

const crumbs = ({ crumbs: links = [] }: TitledContent): Html | null =>
  links.length === 0
    ? null
    : html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${links.map(({ label, href }) => html`<li><a href="${href}"><bdi>${label}</bdi></a></li>`)}</ol></nav>`;

function footer({ base, theme, here, asked, apiDocsUrl }: Shell): Html {
  return html`<footer class="foot">
${asked.length > 0 && howAsked(asked)}
${apiDocsUrl !== '' && html`<a href="${apiDocsUrl}">API reference</a>`}
<form class="themes" method="post" action="${base}/theme"><fieldset><legend>Theme</legend><input type="hidden" name="to" value="${here}">
${([undefined, 'light', 'dark'] as const).map((choice) => themeButton(choice, theme))}
</fieldset></form>
</footer>`;
}

const themeButton = (choice: Theme | undefined, chosen: Theme | undefined): Html =>
  html`<button name="theme" value="${choice ?? 'system'}" aria-pressed="${String(choice === chosen)}">${choice === undefined ? 'System' : choice === 'light' ? 'Light' : 'Dark'}</button>`;

const howAsked = (asked: readonly string[]): Html =>
  html`<details class="asked"><summary>API calls of this page</summary>
<p>This page was made from ${asked.length === 1 ? 'this request' : 'these requests'}; the API’s reference, <code>GET /docs</code>, describes each.</p>
<ul>${asked.map((line) => html`<li><code>${line}</code></li>`)}</ul></details>`;
