import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createHttpClient, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';

const body = Buffer.alloc(2_048, 'x');
const requests = 200;

/** How often sockets that are connected to the port are written to. */
function countWrites(port: number): { count(): number; stop(): void } {
  let writes = 0;
  const { _write, _writev } = Socket.prototype;
  Socket.prototype._write = function (...args) {
    if (this.remotePort === port) writes += 1;
    return _write.apply(this, args);
  };
  Socket.prototype._writev = function (...args) {
    if (this.remotePort === port) writes += 1;
    return _writev?.apply(this, args);
  };
  return { count: () => writes, stop: () => void Object.assign(Socket.prototype, { _write, _writev }) };
}

/** The resources that Node makes while the work is done, by kind. */
async function madeDuring(work: () => Promise<void>): Promise<(kind: string) => number> {
  const made = new Map<string, number>();
  const hook = createHook({ init: (_id, kind) => void made.set(kind, (made.get(kind) ?? 0) + 1) }).enable();
  const { AbortController: Original } = globalThis;
  globalThis.AbortController = class extends Original {
    constructor() {
      super();
      made.set('AbortController', (made.get('AbortController') ?? 0) + 1);
    }
  };
  try {
    await work();
  } finally {
    globalThis.AbortController = Original;
    hook.disable();
  }
  return (kind) => made.get(kind) ?? 0;
}

it('a request over a connection that is kept is written once, and its limits cost no timer and no signal', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const server = createServer((socket) => {
    let bytes = 0;
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        bytes += chunk.length;
        if (!chunk.subarray(-8).equals(body.subarray(-8)) || bytes < body.length) return;
        bytes = 0;
        socket.write(answer);
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = createHttpClient({
    clock: systemClock,
    allowHttp: true,
    allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
    maxConnectionsPerHost: 1,
  });
  await client.start();
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const post = async (): Promise<void> => {
    const { outcome } = await client.send({ url, method: 'POST', headers: {}, body, timeoutMs: 5_000 });
    expect(outcome).toBe('delivered');
  };
  await post();
  const writes = countWrites(port);
  try {
    const made = await madeDuring(async () => {
      for (let sent = 0; sent < requests; sent += 1) await post();
    });
    expect(writes.count()).toBe(requests);
    expect(made('AbortController')).toBe(0);
    // One is undici's, for the idle connection; a few are for the limits of all, and more the slower the machine is.
    expect(made('Timeout')).toBeLessThan(1.5 * requests);
  } finally {
    writes.stop();
    await client.stop();
    server.close();
  }
});
