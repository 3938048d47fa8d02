import { type Answer, askAt } from '../../unit/api/ask.ts';
import { waitUntil } from '../wait-until.ts';

export type Json = Record<string, unknown> & { id: string };

/** The API as the operator uses it, in one tenant. */
export interface ApiCaller {
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** @throws Error unless it was done */
  make(method: string, path: string, body?: unknown): Promise<Json>;
  list(path: string): Promise<Json[]>;
  /** The first of a list, once there is one. */
  first(path: string, isIt?: (item: Json) => boolean): Promise<Json>;
}

const patienceMs = 60_000;

export function createApiCaller(url: string, key: string, tenant?: string): ApiCaller {
  const port = Number(new URL(url).port);
  const ask: ApiCaller['ask'] = (method, path, body, headers) =>
    askAt(port, {
      method,
      path: `/v1${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(tenant !== undefined && { 'hookline-tenant': tenant }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const make: ApiCaller['make'] = async (method, path, body) => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} → ${answer.status} ${answer.text}`);
    return answer.text === '' ? { id: '' } : answer.json<Json>();
  };
  const list = async (path: string): Promise<Json[]> => (await make('GET', path)) as unknown as Json[];
  return {
    ask,
    make,
    list,
    first: (path, isIt = () => true) =>
      waitUntil(`GET ${path} has one`, async () => (await list(path)).find(isIt), {
        timeoutMs: patienceMs,
        everyMs: 200,
      }),
  };
}
