export { escapeHtml } from './escape-html.ts';
export { Html, type HtmlValue, html } from './html.ts';
export { ownPath } from './own-path.ts';
export { linkTo, safeHref } from './safe-href.ts';
