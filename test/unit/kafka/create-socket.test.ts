import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createSocketFactory } from '../../../libs/kafka/kafkajs-patches/create-socket.ts';

it('gathers no listeners where a connection that was refused is let go of again and again', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const socket = createSocketFactory(undefined)({ host: '127.0.0.1', port, ssl: {}, onConnect: () => undefined });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  for (let times = 0; times < 20; times += 1) socket.end().unref();

  expect(socket.listenerCount('connect')).toBeLessThan(5);
});
