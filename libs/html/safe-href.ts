import { type Html, html } from './html.ts';

/** Any origin of the kind: only the scheme is checked. */
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

/** A browser reads a backslash as a slash, and leaves out tabs and newlines: `/\evil.example` and `/\t/evil.example` lead away. */
const leadsAway = /^\/\/|[\\\p{Cc}]/u;

/**
 * The text if it is a path of our own site, below the base; undefined for an address elsewhere, however it is written. Redirects lead to such paths
 * alone.
 */
export function ownPath(text: string | undefined, base: string): string | undefined {
  if (text === undefined || !text.startsWith(`${base}/`) || leadsAway.test(text)) return undefined;
  const here = 'https://here.invalid';
  if (!URL.canParse(text, here)) return undefined;
  const { origin, pathname, search } = new URL(text, here);
  // `/..//evil.example` has its two slashes only when its dots are resolved.
  return origin === here && pathname.startsWith(`${base}/`) && !pathname.includes('//') ? pathname + search : undefined;
}
