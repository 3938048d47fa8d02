export { escapeHtml, Html, html, type HtmlValue } from './html.ts';
export { linkTo, ownPath, safeHref } from './safe-href.ts';
