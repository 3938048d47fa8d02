import { randomUUID } from 'node:crypto';
import { type ApiFailure, type ApiResult, failureOf, valueIn } from './api-result.ts';
import { type HttpAnswer, type HttpResult, sendRequest } from './send-request.ts';

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Paths are below `/v1`. Every refusal, and every request without an answer, is a value; only our own mistakes are thrown. */
export interface ApiClient {
  request<T>(method: ApiMethod, path: string, given?: ApiRequest): Promise<ApiResult<T>>;
  /** A collection, filtered by the path's query, read page by page up to `limit` items. */
  list<T>(path: string, limit: number): Promise<ApiResult<T[]>>;
  /** A document that may come in parts; `next` is the path of the next one. */
  part<T>(path: string): Promise<ApiResult<Part<T>>>;
  /** One page, as large as the API makes it; `next` is the path of the next one. */
  page<T>(path: string): Promise<ApiResult<Page<T>>>;
  /** Reads a body that is not the API's own JSON: a payload as its sender sent it. */
  bytes(path: string): Promise<ApiResult<Bytes>>;
}

interface Bytes {
  body: Buffer;
  contentType: string | undefined;
  contentEncoding: string | undefined;
}

export interface Part<T> {
  value: T;
  next: string | undefined;
}

export interface Page<T> {
  items: T[];
  next: string | undefined;
  /** Lists of events only: the cursor for the next page, after the last item. An empty page has one too. */
  cursor: string | undefined;
  /** The time of the API, to the second. */
  answeredAtMs: number | undefined;
}

export interface ApiRequest {
  /** A string is already JSON, and is sent unchanged. */
  body?: object | string | undefined;
  /** The ETag that the resource must still have. */
  ifMatch?: string | undefined;
}

export interface ApiClientOptions {
  /** Without `/v1`. */
  url: string;
  /** An API key, the admin key, or a session's token: each is sent as a bearer token. */
  credential: string;
  /** Only the admin key may choose one. */
  tenant?: string | undefined;
  /**
   * Resend a request whose outcome may be had later. GET and POST alone are safe to send again, a POST by its `Idempotency-Key`; by default
   * both are sent once, as all others are.
   */
  resendGet?: Resend;
  resendPost?: Resend;
  /** Ends requests early, as unanswered. */
  signal?: AbortSignal;
}

type Resend = (send: () => Promise<HttpResult>) => Promise<HttpResult>;

/** Longer than the API holds any request. */
const timeoutMs = 30_000;
/** The API serves pages of events from two on. */
const minPageSize = 2;
export const maxPageSize = 1_000;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { credential, tenant } = options;
  const base = options.url.replace(/\/+$/, '');
  const resendOf = (method: ApiMethod): Resend | undefined =>
    method === 'GET' ? options.resendGet : method === 'POST' ? options.resendPost : undefined;

  async function answerTo(
    method: ApiMethod,
    path: string,
    { body, ifMatch }: ApiRequest = {},
  ): Promise<{ answer: HttpAnswer } | { failure: ApiFailure }> {
    const headers = {
      authorization: `Bearer ${credential}`,
      ...(tenant !== undefined && { 'hookline-tenant': tenant }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    };
    const send = (): Promise<HttpResult> =>
      sendRequest(`${base}/v1${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        timeoutMs,
        signal: options.signal,
      });
    const answer = await (resendOf(method)?.(send) ?? send());
    if ('noAnswer' in answer) return { failure: { kind: 'no_answer', url: base, reason: answer.noAnswer } };
    return answer.status >= 300 ? { failure: failureOf(answer) } : { answer };
  }

  async function page<T>(path: string): Promise<ApiResult<Page<T>>> {
    const answered = await answerTo('GET', path);
    if ('failure' in answered) return { ok: false, ...answered };
    const { answer } = answered;
    // A long poll that ends without a change has no body.
    const items: ApiResult<T[]> = answer.status === 204 ? { ok: true, value: [] } : valueIn(answer);
    if (!items.ok) return items;
    const next = nextPage(answer.header('link'), base);
    const answeredAtMs = Date.parse(answer.header('date') ?? '');
    return {
      ok: true,
      value: {
        ...{ items: items.value, next, cursor: answer.header('hookline-cursor') },
        answeredAtMs: Number.isNaN(answeredAtMs) ? undefined : answeredAtMs,
      },
    };
  }

  return {
    page,
    async part<T>(path: string) {
      const answered = await answerTo('GET', path);
      if ('failure' in answered) return { ok: false, ...answered };
      const { answer } = answered;
      const read = valueIn<T>(answer);
      return read.ok ? { ok: true, value: { value: read.value, next: nextPage(answer.header('link'), base) } } : read;
    },
    async bytes(path) {
      const answered = await answerTo('GET', path);
      if ('failure' in answered) return { ok: false, ...answered };
      const { bytes: body, header } = answered.answer;
      return {
        ok: true,
        value: { body, contentType: header('content-type'), contentEncoding: header('content-encoding') },
      };
    },
    async request<T>(method: ApiMethod, path: string, given?: ApiRequest) {
      const answered = await answerTo(method, path, given);
      return 'failure' in answered ? { ok: false, ...answered } : valueIn<T>(answered.answer);
    },
    async list<T>(path: string, limit: number) {
      const items: T[] = [];
      const firstLimit = `${path.includes('?') ? '&' : '?'}limit=${Math.min(Math.max(limit, minPageSize), maxPageSize)}`;
      let next: string | undefined = `${path}${firstLimit}`;
      while (next !== undefined && items.length < limit) {
        const got: ApiResult<Page<T>> = await page(next);
        if (!got.ok) return got;
        items.push(...got.value.items);
        next = got.value.next;
      }
      return { ok: true, value: items.slice(0, limit) };
    },
  };
}

/** The link as a path below /v1 of this API; undefined for another host, which must not get the credential. */
function nextPage(link: string | undefined, base: string): string | undefined {
  const [, target] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, base);
  return pathname.slice(pathname.indexOf('/v1/') + '/v1'.length) + search;
}
