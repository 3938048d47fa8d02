/**
 * The client of the API. Its calls are named as the API's document and its fakes in tests name them, and typed by the contract:
 *
 *   const endpoint = await client.call('GET /v1/endpoints/:id', { params: { id } });
 *   for await (const page of client.pages('GET /v1/audit', { query: { action: 'endpoint.update' } })) …
 *
 * A POST has an `Idempotency-Key`, the same one whenever it is sent again.
 */
import { randomUUID } from 'node:crypto';
import { ApiError, type ApiFailure, failureOf, tryParse } from './api-error.ts';
import type { CallName, Given, ItemOf, ListName, Value } from './calls.ts';
import { createTransport, type HttpAnswer, type HttpResult, type Method, type Transport } from './transport.ts';

export interface Client {
  /** @throws ApiError for every answer but a 2xx, and where there is none */
  call<Name extends CallName>(name: Name, ...given: GivenOf<Name>): Promise<Value<Name>>;
  /** The same, with what comes beside the value, and without throwing. */
  ask<Name extends CallName>(name: Name, ...given: GivenOf<Name>): Promise<Asked<Value<Name>>>;
  /** One page, of as many items as the query says. @throws ApiError */
  page<Name extends ListName>(name: Name, ...given: GivenOf<Name>): Promise<Page<ItemOf<Name>>>;
  /** That page, and all behind it. @throws ApiError */
  pages<Name extends ListName>(name: Name, ...given: GivenOf<Name>): AsyncGenerator<Page<ItemOf<Name>>, void>;
  /** The items of that page and of those behind it, up to so many. @throws ApiError */
  list<Name extends ListName>(name: Name, most: number, ...given: GivenOf<Name>): Promise<ItemOf<Name>[]>;
  /** A part of a document that comes in several. @throws ApiError */
  part<Name extends CallName>(name: Name, ...given: GivenOf<Name>): Promise<Part<Value<Name>>>;
  /** The value beside its text, which has numbers and texts exactly as they were given. @throws ApiError */
  withText<Name extends CallName>(name: Name, ...given: GivenOf<Name>): Promise<{ value: Value<Name>; text: string }>;
  /** A body that is not the API's own JSON: a payload as its sender sent it. @throws ApiError */
  bytes<Name extends CallName>(name: Name, ...given: GivenOf<Name>): Promise<HttpAnswer>;
}

/** The API's answer, or why there is none. */
export type Asked<T> =
  | { ok: true; value: T; etag: string | undefined; status: number }
  | { ok: false; failure: ApiFailure };

export interface Page<Item> {
  items: readonly Item[];
  /** The parameters of the pages beside this one, if there are any. */
  next: URLSearchParams | undefined;
  prev: URLSearchParams | undefined;
  /** The answer's header, by its lower-case name. */
  header(name: string): string | undefined;
}

export interface Part<T> {
  value: T;
  /** The parameters of the next one, if there is one. */
  next: URLSearchParams | undefined;
}

/** The least and the most items that a page is asked for: the API lists changes from two on. */
const pageSizes = { least: 2, most: 1_000 };

interface Sending {
  /** The ETag that the resource must still have. */
  ifMatch?: string | undefined;
  /** For what the API holds on purpose. */
  timeoutMs?: number | undefined;
}

/** The argument of a call: none is needed where it needs nothing. */
export type GivenOf<Name extends CallName> =
  Record<never, never> extends Given<Name> ? [given?: Given<Name> & Sending] : [given: Given<Name> & Sending];

export interface ClientOptions {
  /** An API key, the admin key, or a session's token. Undefined: none, for what needs none. */
  credential: string | undefined;
  /** Only the admin key may choose one. */
  tenant?: string | undefined;
  transport: Transport;
  /** Beside those of a call. */
  headers?: Readonly<Record<string, string>>;
  /** Default: a random UUID for each. */
  newKey?(): string;
  /** Sends a request until its outcome is known. Only a GET, and a POST by its key, are safe to send again. Default: each is sent once. */
  resend?(send: () => Promise<HttpResult>, method: Method): Promise<HttpResult>;
  /** Reads JSON. Default: as JavaScript does, with numbers as precise as its own. */
  parse?(text: string): unknown;
  /** Ends requests early, as unanswered. */
  signal?: AbortSignal | undefined;
}

type Parameter = string | number | boolean | undefined;

/** A list repeats its parameter. */
type Query = Readonly<Record<string, Parameter | readonly Parameter[]>>;

interface AnyGiven extends Sending {
  params?: Readonly<Record<string, string>>;
  query?: URLSearchParams | Query;
  body?: unknown;
}

/** @param url that of the API, without `/v1` */
export const connect = (url: string, options: Omit<ClientOptions, 'transport'>): Client =>
  createClient({ ...options, transport: createTransport(url) });

export function createClient(options: ClientOptions): Client {
  const { credential, tenant, transport, signal, newKey = randomUUID, parse = JSON.parse } = options;

  async function answerTo(
    name: string,
    { params = {}, query, body, ifMatch, timeoutMs }: AnyGiven = {},
  ): Promise<{ answer: HttpAnswer } | { failure: ApiFailure }> {
    const { method, path } = requestOf(name, params, query);
    const headers = {
      accept: 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(tenant !== undefined && { 'hookline-tenant': tenant }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': newKey() }),
      ...options.headers,
    };
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const send = (): Promise<HttpResult> => transport({ method, path, headers, body: text, timeoutMs, signal });
    const result = await (options.resend?.(send, method) ?? send());
    if ('noAnswer' in result) return { failure: { kind: 'no_answer', reason: result.noAnswer } };
    return result.status >= 300 ? { failure: failureOf(result, parse) } : { answer: result };
  }

  async function bytes(name: string, given?: AnyGiven): Promise<HttpAnswer> {
    const answered = await answerTo(name, given);
    if ('failure' in answered) throw new ApiError(answered.failure);
    return answered.answer;
  }

  async function ask(name: string, given?: AnyGiven): Promise<Asked<unknown>> {
    const answered = await answerTo(name, given);
    if ('failure' in answered) return { ok: false, ...answered };
    const read = readValue(answered.answer);
    if ('failure' in read) return { ok: false, ...read };
    const { status, header } = answered.answer;
    return { ok: true, ...read, etag: header('etag'), status };
  }

  function readValue({ status, bytes }: HttpAnswer): { value: unknown } | { failure: ApiFailure } {
    const body = bytes.toString();
    return tryParse(body, parse) ?? { failure: { kind: 'unexpected_answer', status, body } };
  }

  async function read(name: string, given?: AnyGiven): Promise<{ value: unknown; answer: HttpAnswer }> {
    const answer = await bytes(name, given);
    const value = readValue(answer);
    if ('failure' in value) throw new ApiError(value.failure);
    return { ...value, answer };
  }

  async function page(name: string, given?: AnyGiven): Promise<Page<unknown>> {
    const answer = await bytes(name, given);
    const { status, header } = answer;
    // 204: a held request whose time is up.
    const items = status === 204 ? [] : tryParse(answer.bytes.toString(), parse)?.value;
    if (!Array.isArray(items)) throw new ApiError({ kind: 'unexpected_answer', status, body: answer.bytes.toString() });
    const link = header('link');
    return { items, next: linked('next', link), prev: linked('prev', link), header };
  }

  async function* pages(name: string, given?: AnyGiven): AsyncGenerator<Page<unknown>, void> {
    for (let query = given?.query; ;) {
      const one = await page(name, { ...given, query });
      yield one;
      if (one.next === undefined) return;
      query = one.next;
    }
  }

  async function list(name: string, most: number, given?: AnyGiven): Promise<unknown[]> {
    const query = searchOf(given?.query);
    query.set('limit', String(Math.min(Math.max(most, pageSizes.least), pageSizes.most)));
    const listed: unknown[] = [];
    for await (const { items } of pages(name, { ...given, query })) {
      listed.push(...items);
      if (listed.length >= most) break;
    }
    return listed.slice(0, most);
  }

  // The names, which the types have checked, are the API's.
  return {
    ask,
    page,
    pages,
    list,
    bytes,
    async part(name: string, given?: AnyGiven) {
      const { value, answer } = await read(name, given);
      return { value, next: linked('next', answer.header('link')) };
    },
    async withText(name: string, given?: AnyGiven) {
      const { value, answer } = await read(name, given);
      return { value, text: answer.bytes.toString() };
    },
    call: async (name: string, given?: AnyGiven) => (await read(name, given)).value,
  } as Client;
}

/** Values of a path are encoded, so that no id leads elsewhere. */
function requestOf(
  name: string,
  params: Readonly<Record<string, string>>,
  query: AnyGiven['query'],
): { method: Method; path: string } {
  const [method = '', template = ''] = name.split(' ');
  const path = template.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
  // A blank as in the rest of the address, not as forms have it.
  const search = searchOf(query).toString().replaceAll('+', '%20');
  return { method: method as Method, path: search === '' ? path : `${path}?${search}` };
}

/** Parameters that are absent or empty are left out. */
function searchOf(query: AnyGiven['query'] = {}): URLSearchParams {
  const search = new URLSearchParams();
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  for (const [parameter, value] of entries)
    for (const each of [value].flat()) if (each !== undefined && each !== '') search.append(parameter, String(each));
  return search;
}

/** The parameters of a link of the API. Its address may be another than ours, which must not get the credential: only the parameters count. */
function linked(rel: 'next' | 'prev', link = ''): URLSearchParams | undefined {
  const [, target] = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(link) ?? [];
  return target === undefined ? undefined : new URL(target, 'http://api.invalid').searchParams;
}
