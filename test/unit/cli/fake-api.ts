import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Answered {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Options {
  /** Commands with `--tenant` look whether it is known. By default the key may not see that, and nothing is noted. */
  readsTenants?: boolean;
}

/** An API with given answers; `env` points a command to it. */
export async function startFakeApi(
  answer: (asked: Asked, index: number) => Answered,
  { readsTenants = false }: Options = {},
) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    if (!readsTenants && method === 'GET' && path.startsWith('/v1/tenants/'))
      return void response.writeHead(403).end('{"code":"forbidden"}');
    void (headers['content-type'] === undefined ? Promise.resolve(undefined) : json(request)).then((body) => {
      const index = asked.push({ method, path, headers, body }) - 1;
      const { status, headers: given = {}, body: answered } = answer({ method, path, headers, body }, index);
      response.writeHead(status, given).end(answered === undefined ? '' : JSON.stringify(answered));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    env: {
      HOOKLINE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      HOOKLINE_ADMIN_KEY: 'a-key',
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
