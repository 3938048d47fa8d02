/** The answer of a page. It is made whole before its first byte is sent, so its status is always the true one. */
import type { Html } from '#lib/html';
import type { FieldError } from './api-calls/console-api.ts';

/** The word to search engines. A page that does not say it is not indexed. */
interface Indexing {
  /** The path, from the base on, of the page that has this content for good. */
  canonical: string;
  isIndexed: boolean;
}

/** 404: a filtered list without a result. 400, 409, 412: the form again, with what is wrong. 410: what is left of something erased. */
export type PageStatus = 200 | 201 | 400 | 404 | 409 | 410 | 412;

export type ProblemStatus = 400 | 403 | 404 | 405 | 408 | 409 | 410 | 412 | 413 | 415 | 429 | 500 | 503;

export interface PageContent {
  /** The page's subject: the beginning of the document's title, and the only h1. Default: the title of the page's definition. */
  title?: string;
  /** Instead of the title, in the h1. */
  heading?: Html;
  /** Below the h1, in small: ids, times. */
  subtitle?: Html;
  /** Buttons and links beside the h1. */
  actions?: Html | null;
  /** The way back, from the outermost on. */
  crumbs?: readonly { label: string; href: string }[];
  body: Html;
  /** Names of files in islands/, without `.ts`. */
  islands?: readonly string[];
  indexing?: Indexing;
  headers?: Headers;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** As it is rendered. */
export type TitledContent = PageContent & { title: string };

export type PageResult =
  | ({ kind: 'page'; status: PageStatus } & PageContent)
  | {
      kind: 'problem';
      status: ProblemStatus;
      /** A sentence for people, instead of the usual one of the status. */
      explanation?: string;
      errors?: readonly FieldError[];
      retryAfterSeconds?: number;
      allow?: string;
    }
  /** The sign-in form at the URL that was asked for; 401 by default. */
  | {
      kind: 'sign_in';
      status?: 200 | 400 | 401 | 403 | 429 | 503;
      message?: string;
      retryAfterSeconds?: number;
      /** The path to go on to; default: the one that was asked for. */
      to?: string;
    }
  /** 301, to the path, from the base on, that a page has now. */
  | { kind: 'moved'; to: string }
  /** A document that is no page. */
  | { kind: 'document'; contentType: string; text: string }
  /** 303, to a path of this console. */
  | { kind: 'see_other'; to: string; headers?: Headers }
  /** Rows for an island. */
  | { kind: 'fragment'; status: 200 | 204; body: Html; headers?: Headers }
  /** Bytes that are saved, or shown as text; never run. */
  | { kind: 'bytes'; body: Buffer; fileName: string; isShown: boolean };

export const page = ({ status = 200, ...content }: PageContent & { status?: PageStatus }): PageResult => ({
  kind: 'page',
  status,
  ...content,
});

export type Problem = Extract<PageResult, { kind: 'problem' }>;

export const problem = (status: ProblemStatus, more?: Omit<Problem, 'kind' | 'status'>): Problem => ({
  kind: 'problem',
  status,
  ...more,
});

/** @param to a path of this console, from its base on */
export const seeOther = (to: string, headers?: Headers): PageResult => ({ kind: 'see_other', to, headers });

export const fragment = (
  body: Html,
  { status = 200, headers }: { status?: 200 | 204; headers?: Headers } = {},
): PageResult => ({ kind: 'fragment', status, body, headers });

export const moved = (to: string): PageResult => ({ kind: 'moved', to });

export const documentOf = (contentType: string, text: string): PageResult => ({ kind: 'document', contentType, text });

/** @param isShown as text in the browser; default: saved as a file */
export const bytes = (body: Buffer, fileName: string, isShown = false): PageResult => ({
  kind: 'bytes',
  body,
  fileName,
  isShown,
});
