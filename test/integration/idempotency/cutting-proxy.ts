import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Between Postgres and a pool: cuts the connection on which the next COMMIT is asked for. */
export interface CuttingProxy {
  url: string;
  /** passed: the server gets it, the client gets no answer. dropped: the server does not get it. */
  cutNextCommit(how: 'passed' | 'dropped'): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: 'passed' | 'dropped' | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let deaf = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      const how = bytes.includes('COMMIT') ? armed : undefined;
      if (how === undefined) return void upstream.write(bytes);
      armed = undefined;
      deaf = true;
      if (how === 'dropped') upstream.destroy();
      else upstream.write(bytes);
      if (how === 'dropped') client.destroy();
    });
    upstream.on('data', (bytes) => {
      if (!deaf) return void client.write(bytes);
      client.destroy();
      upstream.destroy();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNextCommit: (how) => void (armed = how),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
