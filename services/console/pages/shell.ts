import type { Assets } from '../http/assets.ts';
import type { Face } from '../page.ts';
import type { Section } from '../sections.ts';
import type { Session } from '../session/session.ts';

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
  assets: Assets;
}

export const tenantBase = (base: string, tenant: string): string => `${base}/t/${encodeURIComponent(tenant)}`;
