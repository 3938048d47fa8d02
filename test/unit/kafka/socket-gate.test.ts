import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createSocketGate } from '../../../libs/kafka/consuming/rebuilding/socket-gate.ts';
import { createSocketFactory } from '../../../libs/kafka/kafkajs-patches/create-socket.ts';

test('a closed gate has destroyed every socket, also one that is being opened, and opens no more', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, ssl: {} };
  const gate = createSocketGate(createSocketFactory(undefined));
  const made = Promise.withResolvers<void>();
  const errors: string[] = [];
  const open = (onConnect: () => void) =>
    gate.open({ ...address, onConnect }).on('error', (error: Error) => errors.push(error.message));
  const first = open(made.resolve);
  await made.promise;
  const second = open(() => undefined);
  const closed = Promise.all([first, second].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  gate.close();
  await closed;
  expect([first.destroyed, second.destroyed]).toEqual([true, true]);
  expect(errors).toEqual(['the client was discarded', 'the client was discarded']);
  expect(() => open(() => undefined)).toThrow('the client was discarded');
  server.close();
});
