import { html, type Html } from './html.ts';

/** Any origin of the kind: only the scheme is judged. */
const anywhere = 'https://relative.invalid';

/**
 * The URL if a link to it runs nothing: `http:`, `https:`, or relative. Undefined for `javascript:`, `data:` and all other schemes, and for
 * what is no URL. Browsers drop tabs and newlines within a scheme, and so does the parser here.
 */
export function safeHref(url: string): string | undefined {
  if (!URL.canParse(url, anywhere)) return undefined;
  const { protocol } = new URL(url, anywhere);
  return protocol === 'https:' || protocol === 'http:' ? url : undefined;
}

/** A link to a URL that others have written; the label alone if following it could run something. */
export function linkTo(url: string, label: string | Html = url): Html {
  const href = safeHref(url);
  return href === undefined ? html`${label}` : html`<a href="${href}" rel="noopener noreferrer">${label}</a>`;
}
