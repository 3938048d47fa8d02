import { StackError } from '../failure.ts';
import { isSuccess, request as httpRequest } from './http-request.ts';

export interface ApiClient {
  get<T>(path: string): Promise<T>;
  /** undefined where the API does not know it (404), or no longer (410). */
  find<T>(path: string): Promise<T | undefined>;
  post<T>(path: string, body: unknown): Promise<T>;
  patch<T>(path: string, body: unknown): Promise<T>;
}

const timeoutMs = 10_000;

interface Options {
  url: string;
  adminKey: string;
  /** The tenant whose resources are read and made. */
  tenant: string;
}

/** @throws StackError if the API refuses; Error if a retry may help: no answer, or a 5xx */
export function createApiClient({ url, adminKey, tenant }: Options): ApiClient {
  async function request<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<T | undefined> {
    const answer = await httpRequest(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'hookline-tenant': tenant,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
    }).catch((error: unknown) => {
      throw new Error(`the API at ${url} does not answer`, { cause: error });
    });
    if (isSuccess(answer)) return JSON.parse(answer.body) as T;
    if (answer.status === 404 || answer.status === 410) return undefined;
    const answered = `the API answered ${method} ${path} with ${answer.status}: ${answer.body}`;
    throw answer.status >= 500 ? new Error(answered) : new StackError(answered);
  }
  async function found<T>(answer: Promise<T | undefined>, path: string): Promise<T> {
    const value = await answer;
    if (value === undefined) throw new StackError(`the API does not know ${path}`);
    return value;
  }
  return {
    get: <T>(path: string) => found(request<T>('GET', path), path),
    find: <T>(path: string) => request<T>('GET', path),
    post: <T>(path: string, body: unknown) => found(request<T>('POST', path, body), path),
    patch: <T>(path: string, body: unknown) => found(request<T>('PATCH', path, body), path),
  };
}
