import { html } from '#lib/html';
import type { Face } from '../page.ts';
import type { Session } from '../reader.ts';
import type { Section } from '../sections.ts';

export const brandMark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M11 7v9.5a5.5 5.5 0 0 0 11 0V15m0 0-3 3m3-3 3 3"/></svg>`;

export type Theme = 'light' | 'dark';

/** The frame around a page. */
export interface Shell {
  base: string;
  /** Whose header and navigation it has. */
  face: Face;
  /** The origin that the reader knows. */
  origin: string;
  /** Undefined: nobody is signed in. */
  session: Session | undefined;
  /** Whose sections are linked; undefined: none is chosen. */
  tenant: string | undefined;
  section: Section | undefined;
  /** Undefined: that of the system. */
  theme: Theme | undefined;
  /** Origins of the pages that it may be within; none where it is not. */
  frame: readonly string[];
  /** The path to come back to after the theme was chosen. */
  here: string;
  /** The requests to the API that the page was made from, as `GET /v1/…`. */
  asked: readonly string[];
  /** The API’s reference; empty: it is not linked. */
  apiDocsUrl: string;
  /** The words that are searched for in the catalog. */
  query: string;
  /** The path of a file of assets, below the base. */
  assets: { path(name: string): string };
}

export const tenantBase = (base: string, tenant: string): string => `${base}/t/${encodeURIComponent(tenant)}`;

export const portalBase = (base: string): string => `${base}/portal`;
