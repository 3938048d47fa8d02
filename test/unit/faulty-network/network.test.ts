import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { startNetwork } from '../../faults/network/network.ts';

it('opens links in a process of its own, each of which behaves as it is told', async () => {
  const network = startNetwork(1);
  const server = createServer((socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: target } = server.address() as AddressInfo;
  try {
    const ports = await Promise.all(['one', 'other'].map((link) => network.open(link, target)));
    await network.set('one', { kind: 'refuses' });
    const ends = await Promise.all(
      ports.map(async (port) => {
        const socket = connect({ port, host: '127.0.0.1' });
        const end = await once(socket, 'connect').then(
          () => 'connected',
          ({ code }: NodeJS.ErrnoException) => code,
        );
        socket.destroy();
        return end;
      }),
    );

    expect(ends).toEqual(['ECONNREFUSED', 'connected']);
    await expect(network.set('third', undefined)).rejects.toThrow('there is no link third');
  } finally {
    await network.close();
    server.close();
  }
});
