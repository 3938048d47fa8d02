import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, askAt } from '../../unit/api/ask.ts';
import { waitUntil } from '../wait-until.ts';

export type Json = Record<string, unknown> & { id: string };

/** The API as the operator uses it, in one tenant. */
export interface ApiCaller {
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Asks again where the API is busy, as a client is to. @throws Error unless it was done */
  make(method: string, path: string, body?: unknown): Promise<Json>;
  list(path: string): Promise<Json[]>;
  /** The first of a list, once there is one. */
  first(path: string, isIt?: (item: Json) => boolean): Promise<Json>;
}

const patienceMs = 180_000;

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
    const headers = method === 'POST' ? { 'idempotency-key': `key-of-a-caller-${randomUUID()}` } : undefined;
    const answer = await patiently(() => ask(method, path, body, headers));
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
        everyMs: 200,
      }),
  };
}

/** A machine that does other work may make the API refuse for a while. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (![429, 503].includes(answer.status) || performance.now() > untilMs) return answer;
    await delay(1_000 * Number(answer.headers['retry-after'] ?? 1));
  }
}
