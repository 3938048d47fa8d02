import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to connections that go out (from 32768): one of those could be taken by anybody's connection before it is
 * listened on, or while a process that listened on it is started again.
 */
const from = 20_000;
const to = 32_768;

/** Ports on loopback that nobody listens on, all different, picked at random: others who pick theirs hardly pick the same. */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const port = randomInt(from, to);
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}
