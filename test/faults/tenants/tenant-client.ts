/** The API as one tenant uses it, with a key of its own; every answer is counted, none is thrown. */
import { request } from 'node:http';
import { keepAliveAgent } from '../../support/keep-alive-agent.ts';

interface Answer {
  /** Null: none within the time. */
  status: number | null;
  body: unknown;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  ms: number;
}

export interface TenantClient {
  call(method: string, path: string, body?: unknown, timeoutMs?: number): Promise<Answer>;
  /** The same with another key. */
  as(key: string): TenantClient;
  /** Answers by status; missing ones as `none`. */
  readonly answers: Readonly<Record<string, number>>;
  close(): void;
}

const usualTimeoutMs = 30_000;

export function createTenantClient(apiUrl: string, key: string, tenant?: string): TenantClient {
  const agent = keepAliveAgent(4_096);
  const answers: Record<string, number> = {};

  const ask = (method: string, path: string, body: unknown, timeoutMs: number, bearer: string): Promise<Answer> =>
    new Promise((resolve) => {
      const startedAtMs = performance.now();
      const text = body === undefined ? undefined : JSON.stringify(body);
      const settle = (answer: Omit<Answer, 'ms'>): void => {
        const name = String(answer.status ?? 'none');
        answers[name] = (answers[name] ?? 0) + 1;
        resolve({ ...answer, ms: performance.now() - startedAtMs });
      };
      const none = (): void => settle({ status: null, body: undefined, headers: {} });
      const outgoing = request(`${apiUrl}/v1${path}`, {
        method,
        agent,
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(tenant !== undefined && { 'hookline-tenant': tenant }),
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      outgoing.on('error', none);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', none);
        incoming.on('end', () => {
          const whole = Buffer.concat(chunks).toString();
          settle({ status: incoming.statusCode ?? 0, body: parsed(whole), headers: incoming.headers });
        });
      });
      outgoing.end(text);
    });

  const clientOf = (bearer: string): TenantClient => ({
    call: (method, path, body, timeoutMs = usualTimeoutMs) => ask(method, path, body, timeoutMs, bearer),
    as: clientOf,
    answers,
    close: () => agent.destroy(),
  });
  return clientOf(key);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws Error unless it was taken: for what a run itself needs */
export async function mustCall<T>(client: TenantClient, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await client.call(method, path, body);
  if (answer.status === null || answer.status >= 300)
    throw new Error(`${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}
