import type { FastifyReply, FastifyRequest } from 'fastify';
import { maxPageItems } from './body-limits.ts';
import { type FieldErrors, sendInvalid } from './send-problem.ts';

/**
 * Collections are read in pages with links to the next. One row more than a page is read, to know whether there is another page.
 */
export interface PageRequest {
  limit: number;
  /** The key of the last item of the page before; null for the first page. */
  after: string | null;
}

interface PageQuery {
  limit?: string;
  cursor?: string;
}

/** The request for a page, and its answer. */
interface Paged<Query = unknown> {
  request: FastifyRequest<{ Querystring: Query }>;
  reply: FastifyReply;
  /** Base of the links; empty: taken from the Host header. */
  apiUrl: string;
}

const defaultLimit = 100;

/** @param cursor the format of the collection's cursors */
export function readPage(query: PageQuery, cursor: Pick<RegExp, 'test'>): PageRequest | { errors: FieldErrors } {
  const limit = readLimit(query.limit, 1);
  if (typeof limit !== 'number') return limit;
  if (query.cursor !== undefined && !cursor.test(query.cursor))
    return { errors: [{ field: 'cursor', message: 'is not a valid cursor' }] };
  return { limit, after: query.cursor ?? null };
}

export function readLimit(text: string | undefined, min: number): number | { errors: FieldErrors } {
  const limit = text === undefined ? defaultLimit : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= min && limit <= maxPageItems) return limit;
  return { errors: [{ field: 'limit', message: `must be a whole number from ${min} to ${maxPageItems}` }] };
}

/**
 * Answers with a page of a collection whose cursors are the ids of its items.
 *
 * @param ids their format
 * @param read gives one row more than the page holds; or sends why there are none
 */
export async function answerPage<Row extends { id: string }, Item>(
  asked: Paged<PageQuery>,
  ids: Pick<RegExp, 'test'>,
  read: (page: PageRequest) => Promise<Row[] | FastifyReply>,
  itemOf: (row: Row) => Item,
): Promise<Item[] | FastifyReply> {
  const page = readPage(asked.request.query, ids);
  if ('errors' in page) return sendInvalid(asked.reply, page.errors);
  const rows = await read(page);
  if (!Array.isArray(rows)) return rows;
  return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), asked).map((row) => itemOf(row));
}

/**
 * Cuts the rows to the page, and links to the next if there is one.
 *
 * @param next the parameters that replace the request's own to get the page after this item
 */
export function takePage<Row>(
  rows: Row[],
  limit: number,
  next: (last: Row) => Record<string, string>,
  asked: Paged,
): Row[] {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length > limit && last !== undefined) linkPages({ next: next(last) }, asked);
  return page;
}

/** @param pages the parameters that replace the request's own to get another page */
export function linkPages(
  pages: { next?: Record<string, string> | undefined; prev?: Record<string, string> | undefined },
  { request, reply, apiUrl }: Paged,
): void {
  const base = apiUrl === '' ? `${request.protocol}://${request.host}` : apiUrl;
  const links = Object.entries(pages).flatMap(([rel, parameters]) => {
    if (parameters === undefined) return [];
    const url = new URL(request.url, 'http://path.invalid');
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return [`<${base}${url.pathname}${url.search}>; rel="${rel}"`];
  });
  if (links.length > 0) reply.header('link', links.join(', '));
}
