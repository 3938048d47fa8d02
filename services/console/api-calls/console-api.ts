/**
 * The API as pages use it: with the credential and the tenant of the request, within its time limit, and noting what was asked, which the
 * page shows. A page that is read can only read; the handler of a form gets what changes something too, with the form's Idempotency-Key.
 */
import { parseExact } from '#lib/exact-json';
import { type ApiFailure, failureOf } from '#lib/api-client';
import type { Clock } from '#lib/clock';
import { withQuery } from './paths.ts';
import { ApiRefusal } from './refusal.ts';
import type { ApiAnswer, ApiCall, ApiTransport } from './transport.ts';

/** The API's answer, or why there is none. */
export type Asked<T> =
  | { ok: true; value: T; etag: string | undefined; status: number }
  | { ok: false; failure: ApiFailure };

export interface ListPage<T> {
  items: readonly T[];
  /** The parameters of the pages beside this one, if there are any. */
  next: URLSearchParams | undefined;
  prev: URLSearchParams | undefined;
  /** The answer's header, by its lower-case name. */
  header(name: string): string | undefined;
}

export interface FieldError {
  /** The name of the parameter, or a JSON pointer into the body. */
  field: string;
  message: string;
}

export type Listed<T> = ({ ok: true } & ListPage<T>) | { ok: false; errors: readonly FieldError[] };

/** Paths are below `/v1`: make them with path`…`. */
export interface ReadApi {
  /** @throws ApiRefusal for every other status than 2xx, which becomes the page of that status */
  get<T>(path: string): Promise<T>;
  /** The same, without throwing. */
  ask<T>(path: string): Promise<Asked<T>>;
  /** A page of a list. Invalid parameters are a value, since the page shows its form again; other refusals are thrown. */
  list<T>(path: string, parameters?: URLSearchParams): Promise<Listed<T>>;
  /** The body as it came, with its headers. @throws ApiRefusal */
  bytes(path: string): Promise<ApiAnswer>;
  /** A POST that changes nothing: a dry run, a search. */
  query<T>(path: string, body: object): Promise<Asked<T>>;
}

export interface WriteApi extends ReadApi {
  /** With the Idempotency-Key of the form: sent again, it has the effect once. */
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, given?: Sending): Promise<Asked<T>>;
}

interface Sending {
  /** As text: JSON that is sent as it stands. */
  body?: object | string;
  /** The ETag that the resource must still have. */
  ifMatch?: string;
  /** For what the API holds on purpose. */
  timeoutMs?: number;
}

export interface ApiAccess {
  transport: ApiTransport;
  clock: Clock;
  credential: string | undefined;
  /** The address of the browser: what needs no credential is counted by it. */
  clientAddress?: string;
  /** For the operator, who may choose one; `*`: all. A tenant's own session names none. */
  tenant?: string | undefined;
  traceparent?: string;
  /** The key that the form brought; only with one may something be changed. */
  idempotencyKey?: string;
  newKey(): string;
  /** Each request is added, as `GET /v1/…`. */
  asked: string[];
  /** Aborts when the browser has left: calls that change nothing end then. */
  left?: AbortSignal | undefined;
}

/** Requests of a double click wait for the first one. */
const inProgressWaitMs = 250;
const inProgressLimitMs = 4_000;

interface Calling {
  body?: object | string | undefined;
  headers?: Record<string, string>;
  timeoutMs?: number | undefined;
  changes?: boolean;
}

export function createConsoleApi(access: ApiAccess): WriteApi {
  const { transport, clock, credential, clientAddress, tenant, traceparent = '', asked, left } = access;
  let sent = 0;

  async function call(
    method: ApiCall['method'],
    path: string,
    { body, headers = {}, timeoutMs, changes = false }: Calling = {},
  ): Promise<{ answer: ApiAnswer } | { failure: ApiFailure }> {
    const line = `${method} /v1${path}`;
    if (!asked.includes(line)) asked.push(line);
    const answer = await transport({
      method,
      path: `/v1${path}`,
      headers: {
        accept: 'application/json',
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(credential === undefined && clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
        ...(tenant !== undefined && { 'hookline-tenant': tenant }),
        ...(traceparent !== '' && { traceparent }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      timeoutMs,
      ...(!changes && { signal: left }),
    });
    if ('noAnswer' in answer) return { failure: { kind: 'no_answer', url: '', reason: answer.noAnswer } };
    const { status, header, bytes } = answer;
    return status >= 300 ? { failure: failureOf({ status, header, body: bytes.toString() }) } : { answer };
  }

  async function ask<T>(...given: Parameters<typeof call>): Promise<Asked<T>> {
    const answered = await call(...given);
    if ('failure' in answered) return { ok: false, ...answered };
    const { status, bytes, header } = answered.answer;
    const read = parse(bytes.toString());
    if (read === undefined)
      return { ok: false, failure: { kind: 'unexpected_answer', status, body: bytes.toString() } };
    return { ok: true, value: read.value as T, etag: header('etag'), status };
  }

  /** A second click on the same button finds the first one's request running, and gets its answer. */
  async function askOnce<T>(...given: Parameters<typeof call>): Promise<Asked<T>> {
    const untilMs = clock.monotonicMs() + inProgressLimitMs;
    for (;;) {
      const answer = await ask<T>(...given);
      if (answer.ok || !isInProgress(answer.failure) || clock.monotonicMs() >= untilMs) return answer;
      await clock.sleep(inProgressWaitMs);
    }
  }

  return {
    async get<T>(path: string) {
      const answer = await ask<T>('GET', path);
      if (!answer.ok) throw new ApiRefusal(answer.failure);
      return answer.value;
    },
    ask: (path) => ask('GET', path),
    async list<T>(path: string, parameters = new URLSearchParams()) {
      const answered = await call('GET', withQuery(path, parameters));
      if ('failure' in answered) {
        const { failure } = answered;
        if (failure.kind === 'problem' && failure.status === 400)
          return {
            ok: false,
            errors: failure.problem.errors ?? [{ field: '', message: failure.problem.detail ?? '' }],
          };
        throw new ApiRefusal(failure);
      }
      const { status, bytes, header } = answered.answer;
      // 204: a held request whose time is up.
      const read = status === 204 ? { value: [] } : parse(bytes.toString());
      if (!Array.isArray(read?.value))
        throw new ApiRefusal({ kind: 'unexpected_answer', status, body: bytes.toString() });
      const link = header('link');
      return {
        ok: true,
        items: read.value as T[],
        next: pageOf('next', link),
        prev: pageOf('prev', link),
        header,
      };
    },
    async bytes(path) {
      const answered = await call('GET', path);
      if ('failure' in answered) throw new ApiRefusal(answered.failure);
      return answered.answer;
    },
    query: (path, body) => ask('POST', path, { body, headers: { 'idempotency-key': access.newKey() } }),
    send(method, path, { body, ifMatch, timeoutMs } = {}) {
      const { idempotencyKey } = access;
      if (idempotencyKey === undefined) throw new Error('only the handler of a form changes something');
      sent += 1;
      const key = sent === 1 ? idempotencyKey : `${idempotencyKey}.${sent}`;
      return askOnce(method, path, {
        body,
        timeoutMs,
        changes: true,
        headers: {
          ...(method === 'POST' && { 'idempotency-key': key }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
      });
    },
  };
}

/** The value of an answer that a page cannot be without. @throws ApiRefusal */
export function valueOf<T>(answer: Asked<T>): T {
  if (!answer.ok) throw new ApiRefusal(answer.failure);
  return answer.value;
}

const isInProgress = (failure: ApiFailure): boolean =>
  failure.kind === 'problem' && failure.problem.code === 'idempotency_in_progress';

/** The parameters of a link of the API. Its address may be another than ours: only the parameters count. */
function pageOf(rel: 'next' | 'prev', link = ''): URLSearchParams | undefined {
  const [, target] = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(link) ?? [];
  return target === undefined ? undefined : new URL(target, 'http://api.invalid').searchParams;
}

function parse(text: string): { value: unknown } | undefined {
  if (text === '') return { value: undefined };
  try {
    return { value: parseExact(text, 'whole') };
  } catch {
    return undefined;
  }
}
