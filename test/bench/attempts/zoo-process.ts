/** The receivers, in a process of their own: the sender's counts of sockets, timers and memory are to be its alone. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { openZoo } from '../../support/receiver-zoo/zoo.ts';

const zoo = await openZoo();
const proxy = createServer().on('connect', (request, near: Socket) => {
  const [host = '', port] = (request.url ?? '').split(':');
  const far = connect(Number(port), host, () => {
    near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    near.pipe(far).pipe(near);
  });
  for (const end of [near, far]) end.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
});
await once(proxy.listen(0, '127.0.0.1'), 'listening');

process.send?.({ animals: zoo.animals, ca: zoo.ca, proxyPort: (proxy.address() as AddressInfo).port });
process.on('disconnect', () => process.exit(0));
