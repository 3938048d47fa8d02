import { randomUUID } from 'node:crypto';
import { CommandFailure } from './command.ts';
import { type HttpAnswer, type HttpResult, sendRequest } from './http.ts';
import { refusal } from './refusal.ts';

export interface ApiClient {
  /** @throws CommandFailure for anything but success, in the API's own words */
  ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, given?: Given): Promise<T>;
  /** A collection, filtered as its path's query says, page by page, up to so many items. */
  list<T>(path: string, limit: number): Promise<T[]>;
  /** One page of it, of as many items as the API gives; the next one is by its own path. */
  page<T>(path: string): Promise<Page<T>>;
}

export interface Page<T> {
  items: T[];
  next: string | undefined;
  /** Of events: what comes behind these, and so whatever changes from now on where there are none. */
  cursor: string | undefined;
}

interface Given {
  /** A text is JSON already. */
  body?: object | string;
  /** The ETag that the resource must still have. */
  ifMatch?: string | undefined;
}

interface Options {
  apiUrl: string;
  adminKey: string;
  tenant: string | undefined;
  /** How what is safe to be sent again is persisted in, a GET and a POST, by its key; once by default, as all others are. */
  persistGet?: Persist;
  persistPost?: Persist;
}

type Persist = (send: () => Promise<HttpResult>) => Promise<HttpResult>;

/** Above what a request is ever held for. */
const timeoutMs = 30_000;
/** Events, which go on by the time of the last one, come in pages of two or more. */
const minPageSize = 2;
export const maxPageSize = 1_000;

export function createApiClient(options: Options): ApiClient {
  const { adminKey, tenant } = options;
  const persistIn = (method: string): Persist | undefined =>
    method === 'GET' ? options.persistGet : method === 'POST' ? options.persistPost : undefined;
  const base = options.apiUrl.replace(/\/+$/, '');

  const request = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, ifMatch }: Given = {},
  ): Promise<HttpAnswer> => {
    const headers = {
      authorization: `Bearer ${adminKey}`,
      ...(tenant !== undefined && { 'hookline-tenant': tenant }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    };
    const send = (): Promise<HttpResult> =>
      sendRequest(`${base}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        timeoutMs,
      });
    const answer = await (persistIn(method)?.(send) ?? send());
    if ('noAnswer' in answer) throw new CommandFailure(1, `the API at ${base} does not answer: ${answer.noAnswer}`);
    if (answer.status >= 300) throw refusal(answer);
    return answer;
  };

  async function page<T>(path: string): Promise<Page<T>> {
    const { status, header, body } = await request('GET', `/v1${path}`);
    return {
      // A wait that has come to nothing ends without a body.
      items: status === 204 ? [] : (JSON.parse(body) as T[]),
      next: nextPage(header('link'), base),
      cursor: header('hookline-cursor'),
    };
  }

  return {
    page,
    async ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, given?: Given) {
      const { body } = await request(method, `/v1${path}`, given);
      return (body === '' ? undefined : JSON.parse(body)) as T;
    },
    async list<T>(path: string, limit: number) {
      const items: T[] = [];
      const firstLimit = `${path.includes('?') ? '&' : '?'}limit=${Math.min(Math.max(limit, minPageSize), maxPageSize)}`;
      let next: string | undefined = `${path}${firstLimit}`;
      while (next !== undefined && items.length < limit) {
        const got: Page<T> = await page(next);
        items.push(...got.items);
        next = got.next;
      }
      return items.slice(0, limit);
    },
  };
}

/** As a path below /v1 of the API that was asked: another place, if the link should name one, is not given the key. */
function nextPage(link: string | undefined, base: string): string | undefined {
  const [, target] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, base);
  return pathname.slice(pathname.indexOf('/v1/') + '/v1'.length) + search;
}
