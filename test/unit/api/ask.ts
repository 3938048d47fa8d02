import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
  text: string;
  json<T = unknown>(): T;
}

export interface Asking {
  /** Default: 30 seconds. */
  timeoutMs?: number;
  method?: string;
  /** Sent as it stands: no path is too odd. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer | object;
}

/** For a busy machine with hundreds of requests at once. */
const usualTimeoutMs = 30_000;
const listening = new Map<FastifyInstance, Promise<unknown>>();

/** The port on which it can be asked. */
export async function listen(app: FastifyInstance): Promise<number> {
  if (!listening.has(app)) listening.set(app, app.listen({ host: '127.0.0.1', port: 0 }));
  await listening.get(app);
  return (app.server.address() as AddressInfo).port;
}

/** Sends one request on a connection of its own. The answer counts, even if the rest of the request is not taken any more. */
export async function ask(app: FastifyInstance, asking: Asking): Promise<Answer> {
  return askAt(await listen(app), asking);
}

export function askAt(port: number, asking: Asking): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body, timeoutMs = usualTimeoutMs } = asking;
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false, timeout: timeoutMs });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const all = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Answer['headers'],
          bytes: all,
          text: all.toString(),
          json: () => JSON.parse(all.toString()) as never,
        });
      });
    });
    if (bytes !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(bytes));
    outgoing.end(bytes);
  });
}

/** For afterEach: no test leaves a listener. */
export async function closeApps(): Promise<void> {
  const apps = [...listening.keys()];
  listening.clear();
  for (const app of apps) app.server.closeAllConnections();
  await Promise.all(apps.map((app) => app.close()));
}
