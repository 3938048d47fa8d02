import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { LinkFault } from '../../faults/network/link-fault.ts';
import { startTcpProxy, type TcpProxy } from '../../faults/network/tcp-proxy.ts';
import { waitUntil } from '../../support/wait-until.ts';

let proxy: TcpProxy;
let server: Server;
let atServer: Socket[];
let serve: (socket: Socket) => void;
/** Answers with what it gets, and ends when the client does. */
const echo = (socket: Socket): void => void socket.pipe(socket);

beforeEach(async () => {
  atServer = [];
  serve = echo;
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    atServer.push(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startTcpProxy({ port: (server.address() as AddressInfo).port }, Math.random);
});
afterEach(async () => {
  await proxy.close();
  atServer.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});

async function dial(): Promise<Socket> {
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Asks with one byte, and says how long the answer took. In ms. */
async function roundTrip(socket: Socket): Promise<number> {
  const startMs = performance.now();
  socket.write('x');
  await once(socket, 'data');
  return performance.now() - startMs;
}

const endOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('closed'));
    socket.resume();
  });

test('faults that end at the same time open the port once', async () => {
  await proxy.set({ kind: 'refuses' });
  await Promise.all([proxy.set(undefined), proxy.set({ kind: 'resets' }), proxy.set(undefined)]);
  const socket = await dial();
  expect(await roundTrip(socket)).toBeGreaterThan(0);
  socket.destroy();
});

const faults: LinkFault[] = [
  { kind: 'latency', direction: 'both', ms: 20, jitterMs: 20 },
  { kind: 'bandwidth', direction: 'both', bytesPerSecond: 400_000 },
  { kind: 'slices', direction: 'both', bytes: 10_000, pauseMs: 5 },
  { kind: 'slow-close', direction: 'both', ms: 50 },
];

it.each([undefined, ...faults])('passes every byte, in order, and the end: %j', async (fault) => {
  await proxy.set(fault);
  const socket = await dial();
  const sent = randomBytes(200_000);
  socket.end(sent);

  expect((await buffer(socket)).equals(sent)).toBe(true);
  await waitUntil('nothing is left', () => proxy.connections() === 0);
});

it('adds its latency to each direction it is told of, and to no other', async () => {
  const socket = await dial();
  await roundTrip(socket);
  const took: number[] = [];
  for (const direction of ['up', 'down', 'both'] as const) {
    await proxy.set({ kind: 'latency', direction, ms: 100, jitterMs: 0 });
    took.push(await roundTrip(socket));
  }
  await proxy.set(undefined);
  const after = await roundTrip(socket);

  expect(took[0]).toBeGreaterThan(95);
  expect(took[1]).toBeGreaterThan(95);
  expect(took[2]).toBeGreaterThan(195);
  expect(after).toBeLessThan(80);
  socket.destroy();
});

it('lets so many bytes through in a second as it is told to', async () => {
  await proxy.set({ kind: 'bandwidth', direction: 'up', bytesPerSecond: 100_000 });
  const socket = await dial();
  const startMs = performance.now();
  socket.end(randomBytes(50_000));
  await buffer(socket);

  const tookMs = performance.now() - startMs;
  expect(tookMs).toBeGreaterThan(450);
  expect(tookMs).toBeLessThan(1_500);
});

it('comes in slices of the size it is told', async () => {
  const sizes: number[] = [];
  serve = (socket) => socket.on('data', (chunk: Buffer) => sizes.push(chunk.length)).on('end', () => socket.end());
  await proxy.set({ kind: 'slices', direction: 'up', bytes: 10, pauseMs: 10 });
  const socket = await dial();
  socket.end(randomBytes(95));
  await buffer(socket);

  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(95);
});

it.each(['up', 'down', 'both'] as const)(
  'swallows what goes %s, and gives it back when it is over',
  async (direction) => {
    const socket = await dial();
    await roundTrip(socket);
    await proxy.set({ kind: 'black-hole', direction });
    const answered = once(socket, 'data').then(() => 'answered');
    socket.write('x');
    expect(await Promise.race([answered, delay(150).then(() => 'nothing')])).toBe('nothing');
    await proxy.set(undefined);

    expect(await answered).toBe('answered');
    socket.destroy();
  },
);

it('takes new connections while it swallows', async () => {
  await proxy.set({ kind: 'black-hole', direction: 'both' });
  const socket = await dial();
  socket.write('x');
  await delay(50);
  await proxy.set(undefined);

  await once(socket, 'data');
  socket.destroy();
});

it('resets every connection, and each new one', async () => {
  const [one, other] = [await dial(), await dial()];
  await roundTrip(one);
  await roundTrip(other);
  const ends = [endOf(one), endOf(other)];
  await proxy.set({ kind: 'resets' });
  const late = dial().then(endOf, (error: NodeJS.ErrnoException) => error.code);

  expect(await Promise.all([...ends, late])).toEqual(['ECONNRESET', 'ECONNRESET', 'ECONNRESET']);
  await waitUntil('the server hears of it', () => atServer.every(({ destroyed }) => destroyed));
});

it('cuts a connection in the middle of a message, and the next one too', async () => {
  const got: number[] = [];
  serve = (socket) => socket.on('data', (chunk: Buffer) => got.push(chunk.length));
  await proxy.set({ kind: 'cuts', afterBytes: 2_500 });
  for (let turn = 0; turn < 2; turn += 1) {
    const socket = await dial();
    const ended = endOf(socket);
    socket.write(randomBytes(10_000));

    expect(await ended).toBe('ECONNRESET');
  }
  expect(got.reduce((sum, size) => sum + size, 0)).toBe(5_000);
});

it('refuses connections, and listens again on its port', async () => {
  const socket = await dial();
  await roundTrip(socket);
  const ended = endOf(socket);
  await proxy.set({ kind: 'refuses' });
  expect(await ended).toBe('ECONNRESET');
  await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.set(undefined);

  const again = await dial();
  await roundTrip(again);
  again.destroy();
});

it('passes on that the server has reset, or is not there', async () => {
  const socket = await dial();
  await roundTrip(socket);
  const ended = endOf(socket);
  atServer[0]?.resetAndDestroy();
  expect(await ended).toBe('ECONNRESET');

  await new Promise((resolve) => server.close(resolve));
  expect(await endOf(await dial())).toBe('ECONNRESET');
});

it('tells the server of an end later where it is told to', async () => {
  let endedMs = 0;
  serve = (socket) => socket.on('end', () => (endedMs = performance.now())).resume();
  await proxy.set({ kind: 'slow-close', direction: 'up', ms: 200 });
  const socket = await dial();
  const startMs = performance.now();
  socket.end('x');
  await waitUntil('the server has heard', () => endedMs > 0, { everyMs: 5 });

  expect(endedMs - startMs).toBeGreaterThan(190);
  socket.destroy();
});

it('holds no more than a network does of what the server does not read', async () => {
  serve = (socket) => socket.pause();
  const socket = await dial();
  const chunk = randomBytes(256 * 1024);
  let written = 0;
  for (let full = false; !full && written < 200; written += 1) {
    if (!socket.write(chunk))
      full = await Promise.race([once(socket, 'drain').then(() => false), delay(500).then(() => true)]);
  }

  // The rest is in the system's own buffers.
  expect(written).toBeLessThan(100);
  socket.destroy();
});
