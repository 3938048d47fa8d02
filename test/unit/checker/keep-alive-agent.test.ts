import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { httpPost } from '../../support/http-post.ts';
import { keepAliveAgent } from '../../support/keep-alive-agent.ts';

const serverKeepsMs = 2_000;

describe('the agent that keeps connections', () => {
  it('lets go of an idle one before the server does', async () => {
    const server = createServer((request, response) => request.resume().on('end', () => response.end()));
    server.keepAliveTimeout = serverKeepsMs;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const agent = keepAliveAgent();
    try {
      const { port } = server.address() as AddressInfo;
      await httpPost({
        url: `http://127.0.0.1:${port}/`,
        headers: {},
        body: Buffer.from('x'),
        timeoutMs: 5_000,
        agent,
      });
      const [connection] = await connected;
      const idleSinceMs = performance.now();
      await once(connection, 'end');

      expect(performance.now() - idleSinceMs).toBeLessThan(serverKeepsMs);
    } finally {
      agent.destroy();
      server.close();
    }
  });
});
