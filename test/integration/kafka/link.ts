import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a server that a test can cut and mend. */
export interface Link {
  port: number;
  /** Ends what is open and takes nothing new. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function openLink(target: { host: string; port: number }): Promise<Link> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1' }, () => resolve());
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
  };
}
