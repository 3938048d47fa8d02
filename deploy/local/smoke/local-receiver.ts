import { createServer, type RequestListener, type Server } from 'node:http';
import { errorCode } from '../failure.ts';
import { assertFree } from '../stack/ports.ts';

interface Options {
  /** Whose receiver it is: named where its port is taken. */
  name: string;
  port: number;
  /** The addresses to which the dispatcher's name for this machine leads. */
  listenOn: readonly string[];
  take: RequestListener;
}

/** A receiver of deliveries, on one port of several addresses. @throws StackError if the port is taken */
export async function startLocalReceiver({ name, port, listenOn, take }: Options): Promise<{ stop(): Promise<void> }> {
  const servers: Server[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(servers.map(close)));
  try {
    for (const address of listenOn) {
      const server = createServer(take);
      await listen(server, port, address);
      servers.push(server);
    }
  } catch (error) {
    await stop();
    if (errorCode(error) === 'EADDRINUSE') await assertFree([{ process: name, port }]);
    throw error;
  }
  return { stop };
}

const listen = (server: Server, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
