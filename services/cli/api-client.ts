import { CommandFailure } from './command.ts';
import { type HttpAnswer, sendRequest } from './http.ts';
import { refusal } from './refusal.ts';

export interface ApiClient {
  /** @throws CommandFailure for anything but success, in the API's own words */
  ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, given?: Given): Promise<T>;
  /** A collection, filtered as its path's query says, page by page, up to so many items. */
  list<T>(path: string, limit: number): Promise<T[]>;
}

interface Given {
  body?: object;
  /** The ETag that the resource must still have. */
  ifMatch?: string | undefined;
}

interface Options {
  apiUrl: string;
  adminKey: string;
  tenant: string | undefined;
}

const timeoutMs = 30_000;
const maxPageSize = 1_000;

export function createApiClient({ apiUrl, adminKey, tenant }: Options): ApiClient {
  const base = apiUrl.replace(/\/+$/, '');

  const request = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, ifMatch }: Given = {},
  ): Promise<HttpAnswer> => {
    const answer = await sendRequest(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminKey}`,
        ...(tenant !== undefined && { 'hookline-tenant': tenant }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
    });
    if ('noAnswer' in answer) throw new CommandFailure(1, `the API at ${base} does not answer: ${answer.noAnswer}`);
    if (answer.status >= 300) throw refusal(answer);
    return answer;
  };

  return {
    async ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, given?: Given) {
      const { body } = await request(method, `/v1${path}`, given);
      return (body === '' ? undefined : JSON.parse(body)) as T;
    },
    async list<T>(path: string, limit: number) {
      const items: T[] = [];
      const firstLimit = `${path.includes('?') ? '&' : '?'}limit=${Math.min(limit, maxPageSize)}`;
      let next: string | undefined = `/v1${path}${firstLimit}`;
      while (next !== undefined && items.length < limit) {
        const answer: HttpAnswer = await request('GET', next);
        items.push(...(JSON.parse(answer.body) as T[]));
        next = nextPage(answer.header('link'), base);
      }
      return items.slice(0, limit);
    },
  };
}

/** As a path of the API that was asked: another place, if the link should name one, is not given the key. */
function nextPage(link: string | undefined, base: string): string | undefined {
  const [, target] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, base);
  return pathname.slice(pathname.indexOf('/v1/')) + search;
}
